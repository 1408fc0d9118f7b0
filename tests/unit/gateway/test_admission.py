import pytest

from runtime.errors import OverloadedError
from services.gateway.admission import Admission
from tests.unit.gateway.clocks import Clock


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


def test_asking_early_takes_no_place() -> None:
    admission = Admission(1)

    admission.refuse_if_full()

    with admission.admit(), pytest.raises(OverloadedError):
        admission.refuse_if_full()


def test_whoever_is_refused_hears_how_long_the_work_before_took() -> None:
    clock = Clock()
    admission = Admission(1, clock)
    for _ in range(200):
        with admission.admit():
            clock.now += 4.0

    with admission.admit(), pytest.raises(OverloadedError) as raised:
        admission.refuse_if_full()

    assert raised.value.retry_after_seconds == pytest.approx(4.0, rel=0.01)
