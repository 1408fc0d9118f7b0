import pytest

from runtime.errors import OverloadedError
from services.gateway.admission import Admission


def test_lets_in_as_many_as_there_are_places() -> None:
    admission = Admission(2)

    with admission.admit(), admission.admit():
        assert admission.running == 2
        with pytest.raises(OverloadedError), admission.admit():
            pass

    assert admission.running == 0


def test_a_place_is_free_again_after_a_failure() -> None:
    admission = Admission(1)

    with pytest.raises(ZeroDivisionError), admission.admit():
        raise ZeroDivisionError

    with admission.admit():
        assert admission.running == 1
