import dataclasses

import pytest

from lanekeeper.limits import Limits


def test_every_limit_names_its_rule_and_unit():
    for limit in dataclasses.fields(Limits):
        assert limit.metadata["rule"], limit.name
        assert limit.metadata["unit"], limit.name
        assert type(limit.default) is int or limit.type is float, limit.name


# What the ledger names as its default, row by row. Settings may tune them; what ships is this.
LEDGER = {
    "A3": {"failed_attempts": 2},
    "T2": {"restarts": 2},
    "T3": {"first_reply_s": 7, "holding_line_s": 2},
    "T5": {"provider_timeout_s": 20, "provider_calls_per_step": 2, "model_steps": 6},
    "D1": {"decisions_s": 1.5},
    "C2": {"compaction_share": 0.8, "summary_tokens": 1200},
    "C3": {"idle_compaction_s": 55 * 60},
    "W1": {"note_words": 500},
    "W3": {"idle_save_s": 30 * 60},
    "R1": {"recall_notes": 3, "recall_bytes": 600},
    "R2": {"recall_wait_s": 0.08},
    "E5": {"messages_per_reply": 3},
}


@pytest.mark.parametrize("rule", LEDGER)
def test_the_numbers_of_the_ledger_are_the_ones_that_ship(rule: str):
    shipped = {field.name: field.default for field in dataclasses.fields(Limits) if field.metadata["rule"] == rule}
    assert {name: shipped[name] for name in LEDGER[rule]} == LEDGER[rule]


def test_the_graph_is_stopped_well_before_its_own_library_would_stop_it_t5():
    limits = Limits()
    assert 2 * limits.model_steps < limits.recursion_limit < 25


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
