import dataclasses

import pytest

from lanekeeper.limits import Limits


def test_every_limit_names_its_rule_and_unit():
    for limit in dataclasses.fields(Limits):
        assert limit.metadata["rule"], limit.name
        assert limit.metadata["unit"], limit.name
        assert type(limit.default) is int or limit.type is float, limit.name


def test_a_limit_is_set_by_its_variable_in_its_own_type():
    limits = Limits.from_environment({"LIMIT_MODEL_STEPS": "8", "LIMIT_LEASE_S": "2.5", "PATH": "/bin"})
    assert (limits.model_steps, type(limits.model_steps)) == (8, int)
    assert limits.lease_s == 2.5


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("LIMIT_NOTHING", "1"),
        ("LIMIT_MODEL_STEPS", "2.5"),
        ("LIMIT_MODEL_STEPS", "-1"),
        ("LIMIT_LEASE_S", "soon"),
        ("LIMIT_LEASE_S", "nan"),
        ("LIMIT_LEASE_S", "inf"),
    ],
)
def test_a_limit_that_is_no_number_of_its_kind_is_refused(variable: str, value: str):
    with pytest.raises(ValueError, match=variable):
        Limits.from_environment({variable: value})
