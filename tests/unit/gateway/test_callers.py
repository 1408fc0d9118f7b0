"""What a caller may do."""

import pytest

from contracts.codes import Scope
from services.gateway.access.callers import LOCAL_CALLER, Caller


def test_a_caller_may_do_what_its_scopes_say() -> None:
    caller = Caller("crm", frozenset({Scope.ASK}))

    assert [scope for scope in Scope if caller.may(scope)] == [Scope.ASK]


@pytest.mark.parametrize("caller", [Caller("ops", frozenset({Scope.ADMIN})), LOCAL_CALLER])
def test_admin_and_this_machine_may_do_everything(caller: Caller) -> None:
    assert all(caller.may(scope) for scope in Scope)
