"""`State`: what a metric has seen, as a value that is added, sent and saved."""

import dataclasses
import functools
import hashlib
import io
import itertools

import numpy as np
import pytest
from given import batch

import keras_rankmetrics as krm
from keras_rankmetrics import MetricCollection, State


def updated(*seeds, **options):
    metric = krm.NDCG(3, **options)
    for seed in seeds:
        metric.update_state(*batch(seed, 6))
    return metric


def told(state, **options):
    """What a metric of this state says."""
    metric = krm.NDCG(3, **options)
    metric.state = state
    return float(metric.result()), metric.standard_error()


def assert_same(state, other):
    assert state.signature == other.signature
    np.testing.assert_array_equal(state.sums, other.sums)
    np.testing.assert_array_equal(state.draws, other.draws)


TIES = pytest.mark.parametrize("ties", ["average", "shuffle"])


# Out and in


@TIES
def test_by_a_file_of_numpy(tmp_path, ties):
    state = updated(1, 2, ties=ties).state
    np.savez(tmp_path / "state.npz", **state.arrays())
    with np.load(tmp_path / "state.npz", allow_pickle=False) as arrays:
        assert_same(State.from_arrays(arrays), state)


def test_the_arrays_have_the_documented_names():
    arrays = updated(1).state.arrays()
    assert list(arrays) == ["format", "signature", "sums", "checksum", "names"]
    assert int(arrays["format"]) == 3
    assert str(arrays["signature"]) == krm.NDCG(3).signature
    shuffled = updated(1, ties="shuffle").state.arrays()
    assert set(shuffled) - set(arrays) == {"draws"}


HEADER = b"keras_rankmetrics state 3\n"


def as_bytes(payload):
    """Bytes as `to_bytes` makes them, by the documentation alone."""
    parts = len(payload).to_bytes(8, "little") + payload
    return HEADER + hashlib.blake2b(parts, digest_size=32).digest() + payload


def test_bytes_are_as_documented_and_hold_no_pickle():
    data = updated(1, ties="shuffle").state.to_bytes()
    payload = data[len(HEADER) + 32 :]
    assert data == as_bytes(payload)
    with np.load(io.BytesIO(payload), allow_pickle=False) as arrays:
        assert len(arrays) == 6
        assert all(arrays[name].dtype.kind in "iufU" for name in arrays)


def test_a_state_does_not_change_with_its_metric():
    metric = updated(1)
    state = metric.state
    before = state.sums.copy()
    metric.update_state(*batch(2, 6))
    state + state
    np.testing.assert_array_equal(state.sums, before)


# Sums


@TIES
def test_any_order_and_grouping(ties):
    """But for rounding, which two floats keep below that of one."""
    states = [updated(seed, ties=ties).state for seed in range(4)]
    expected = sum(states)
    for some in itertools.permutations(states):
        a, b, c, d = some
        for state in (a + (b + (c + d)), (a + b) + (c + d)):
            np.testing.assert_allclose(
                state.sums.astype("float64").sum(-1),
                expected.sums.astype("float64").sum(-1),
                rtol=1e-12,
                atol=1e-12,
            )
            np.testing.assert_array_equal(state.draws, expected.draws)


def test_draws_add_up():
    one = updated(1, ties="shuffle").state
    assert int((one + updated(2, 3, ties="shuffle").state).draws) == 3


def test_the_state_of_nothing_adds_nothing():
    state = updated(1).state
    assert_same(state + krm.NDCG(3).state, state)
    assert_same(krm.NDCG(3).state + state, state)


def test_names_are_no_part():
    state = updated(1, name="mine").state + updated(1).state
    assert told(state)[0] == told(updated(1).state)[0]


@pytest.mark.parametrize(
    "other, differing",
    [
        (krm.NDCG(3, ties="stable"), "differ in: ties. "),
        (krm.NDCG(5), "differ in: the metric. "),
        (krm.NDCG(3, ties="shuffle"), "differ in: ties, seed. "),
        (
            krm.NDCG(3, gain_fn=krm.linear_gain, empty="skip"),
            "differ in: gain, empty. ",
        ),
    ],
)
def test_another_metric_is_refused_and_the_difference_named(other, differing):
    state = updated(1).state
    with pytest.raises(ValueError, match=differing):
        state + other.state
    metric = updated(1)
    for into in (
        functools.partial(setattr, metric, "state"),
        metric.set_state,
        lambda state: metric.merge_state([state]),
    ):
        with pytest.raises(ValueError, match=differing) as error:
            into(other.state)
        for signature in (state.signature, other.signature):
            assert signature in str(error.value)
    assert_same(metric.state, state)


def test_only_states_add_up():
    state = updated(1).state
    for other in (1, None, state.sums, [state]):
        with pytest.raises(TypeError):
            state + other


def test_the_setter_takes_only_states():
    metric = updated(1)
    before = metric.state
    with pytest.raises(TypeError, match="Use `set_state` for the arrays"):
        metric.state = metric.get_state()
    assert_same(metric.state, before)


# What is no state


@pytest.mark.parametrize(
    "data",
    [b"", b"no state", b"PK\x03\x04 a broken archive"],
    ids=["none", "text", "broken"],
)
def test_bytes_that_are_no_state(data):
    with pytest.raises(ValueError):
        State.from_bytes(data)


def corrupted(data, rng):
    """The data with a few bytes changed, cut out, put in or cut off."""
    data, place = bytearray(data), int(rng.integers(len(data)))
    some = int(rng.integers(1, 9))
    kind = rng.choice(["bytes", "bit", "less", "more", "short", "long"])
    if kind == "bytes":
        for i in rng.choice(len(data), some, replace=False):
            data[i] = (data[i] + rng.integers(1, 256)) % 256
    elif kind == "bit":
        data[place] ^= 1 << rng.integers(8)
    elif kind == "less":
        del data[place : place + some]
    elif kind == "more":
        data[place:place] = rng.bytes(some)
    elif kind == "short":
        del data[place:]
    else:
        data += rng.bytes(some)
    return bytes(data)


def test_text_is_no_bytes():
    with pytest.raises(TypeError, match="takes the bytes that"):
        State.from_bytes("abc")


def test_corrupted_bytes_are_no_state():
    """Also where only the date of a file in the archive is another one."""
    data = updated(1, ties="shuffle").state.to_bytes()
    rng = np.random.default_rng(9)
    each_bit = (
        data[:i] + bytes([data[i] ^ 1 << i % 8]) + data[i + 1 :]
        for i in range(len(data))
    )
    for wrong in (*(corrupted(data, rng) for _ in range(3_000)), *each_bit):
        assert wrong != data
        with pytest.raises(ValueError, match="that are not a state or have"):
            State.from_bytes(wrong)


def test_corrupted_arrays_are_no_state():
    """The checksum covers each value, and the shape of the sums."""
    state = updated(1, ties="shuffle").state
    arrays = state.arrays()
    for name in ("signature", "sums", "draws", "names", "checksum"):
        raw = bytearray(arrays[name].tobytes())
        for place in range(0, len(raw), 4):  # each character and number
            changed = raw.copy()
            changed[place] ^= 1
            wrong = np.frombuffer(changed, arrays[name].dtype)
            wrong = {**arrays, name: wrong.reshape(arrays[name].shape)}
            with pytest.raises(ValueError, match="match its checksum"):
                State.from_arrays(wrong)
    for wrong in (
        {**arrays, "sums": state.sums.reshape(2, -1)},
        {n: x for n, x in arrays.items() if n != "draws"},
        {n: x for n, x in arrays.items() if n != "names"},
        {**arrays, "sums": np.array([{}], object)},
        {**arrays, "draws": np.array(True)},
        {**arrays, "draws": np.array(["zz"])},
        {**arrays, "draws": np.int64(arrays["draws"]) + 2**60},
    ):
        with pytest.raises(ValueError, match="match its checksum"):
            State.from_arrays(wrong)


def test_arrays_of_another_precision_are_the_same_state():
    """As a database keeps them."""
    state = updated(1).state
    wide = {**state.arrays(), "sums": state.sums.astype(">f8")}
    assert told(State.from_arrays(wide)) == told(state)


def test_an_archive_that_cannot_be_read_is_no_state():
    file = io.BytesIO()
    np.savez(file, **updated(1).state.arrays())
    data = bytearray(file.getvalue())
    data[data.index(b"checksum.npy") + 150] ^= 1  # its content
    with (
        np.load(io.BytesIO(data)) as arrays,
        pytest.raises(ValueError, match="takes the arrays that"),
    ):
        State.from_arrays(arrays)


@pytest.mark.parametrize("what", ["array", "pickle"])
def test_what_else_numpy_reads_is_no_state(what):
    file = io.BytesIO()
    if what == "array":
        np.save(file, np.zeros(3))
    else:
        sums = np.array([{}], object)
        np.savez(file, **{**updated(1).state.arrays(), "sums": sums})
    for data in (file.getvalue(), as_bytes(file.getvalue())):
        with pytest.raises(ValueError, match="takes the bytes that `to_b"):
            State.from_bytes(data)


@pytest.mark.parametrize("name", ["format", "signature", "sums", "checksum"])
def test_arrays_that_lack_one(name):
    arrays = updated(1).state.arrays()
    del arrays[name]
    with pytest.raises(ValueError, match=r"should have the arrays .*checksum"):
        State.from_arrays(arrays)


@pytest.mark.parametrize("number", [1, 2, 4])
def test_another_format_is_refused(number):
    arrays = {**updated(1).state.arrays(), "format": np.array(number)}
    with pytest.raises(ValueError, match=rf"Received: format {number}, fr"):
        State.from_arrays(arrays)


def test_bytes_of_another_format_are_refused():
    """Those of format 2 have 38 sums, without names."""
    arrays = {
        **updated(1).state.arrays(),
        "format": np.array(2),
        "sums": np.zeros((38, 2), "float32"),
    }
    file = io.BytesIO()
    np.savez(file, **{n: x for n, x in arrays.items() if n != "names"})
    data = as_bytes(file.getvalue()).replace(b"state 3", b"state 2", 1)
    with pytest.raises(ValueError, match=r"format 3\. Received: format 2, f"):
        State.from_bytes(data)


# Sums by name


def saved(state, **changes):
    """The state with other names or sums, after it was saved and loaded."""
    changed = dataclasses.replace(state, **changes)
    return State.from_bytes(changed.to_bytes())


def test_sums_are_loaded_by_name():
    state = updated(1).state
    assert len(set(state.names)) == len(state.names) == len(state.sums) == 30
    turned = saved(state, names=state.names[::-1], sums=state.sums[::-1])
    metric = krm.NDCG(3)
    metric.state = turned
    assert_same(metric.state, state)
    assert told(state + turned) == told(state + state)
    assert told(turned + state) == told(state + state)


@pytest.mark.parametrize("name", ["rows", "own_value*own_value"])
def test_a_sum_that_a_state_lacks_is_nan_and_what_needs_it(name):
    """As of a file by a version that did not add it up."""
    state = updated(1).state
    place = state.names.index(name)
    less = saved(
        state,
        names=(*state.names[:place], *state.names[place + 1 :]),
        sums=np.delete(state.sums, place, axis=0),
    )
    for lacking in (less, less + state, state + less):
        assert lacking == State.from_bytes(lacking.to_bytes())
        metric = krm.NDCG(3)
        metric.state = lacking
        assert float(metric.result()) == pytest.approx(told(state)[0])
        assert np.isnan(metric.standard_error())


def test_a_state_of_an_earlier_version_has_its_mean_and_its_error():
    """It lacks the sums for the variance and the skewness of rows."""
    state = updated(1).state
    kept = [
        x.count("*") < 2 and not x.endswith(("_variance", "_skewness"))
        for x in state.names
    ]
    assert sum(kept) == 22
    names = itertools.compress(state.names, kept)
    sums = [*state.sums[kept], state.sums[0], state.sums[0]]
    old = saved(
        state,
        names=(*names, "own_spread", "other_spread"),
        sums=np.stack(sums),
    )
    new, metric = updated(1).estimate(), krm.NDCG(3)
    metric.state = old
    found = metric.estimate()
    for name in ("value", "standard_error", "rows", "effective_rows", "lists"):
        assert getattr(found, name) == getattr(new, name)
    assert np.isnan(found.deviation) and np.isnan(found.skewness)
    assert np.isnan(found.interval()).all()
    lists = "5 lists, 1 with the mean weight of the others"
    assert str(metric) == f"ndcg@3 = {found.value:.4f} ({lists})"


def test_a_sum_that_no_metric_knows_is_left_out():
    state = updated(1).state
    more = saved(
        state,
        names=(*state.names, "of a later version"),
        sums=np.concatenate([state.sums, state.sums[:1]]),
    )
    metric = krm.NDCG(3)
    metric.state = more
    assert_same(metric.state, state)


@pytest.mark.parametrize("shape", [(2,), (5, 3), (2, 19)])
def test_sums_of_another_shape_leave_the_state(shape):
    metric = updated(1)
    before = metric.state
    with pytest.raises(ValueError):
        metric.state = State(metric.signature, np.zeros(shape, "float32"))
    assert_same(metric.state, before)


@pytest.mark.parametrize(
    "draws",
    [None, np.zeros(3)],
    ids=["none", "of another shape"],
)
def test_draws_that_do_not_fit_leave_the_state(draws):
    metric = updated(1, ties="shuffle")
    before = metric.state
    other = updated(2, ties="shuffle").state
    with pytest.raises(ValueError):
        metric.state = State(other.signature, other.sums, draws)
    assert_same(metric.state, before)


# Of a collection


def several():
    return MetricCollection(
        [
            krm.NDCG(3),
            krm.RecallAtK(2, ties="shuffle"),
            krm.HitRateAtK(1, name="mine"),
        ],
        prefix="all ",
    )


def test_the_state_of_a_collection_is_that_of_each():
    together = several()
    together.update_state(*batch(1, 6))
    assert list(together.state) == ["ndcg@3", "recall@2", "mine"]
    alone = krm.NDCG(3)
    alone.update_state(*batch(1, 6))
    assert told(together.state["ndcg@3"]) == pytest.approx(
        (float(alone.result()), alone.standard_error()), rel=1e-5
    )


def test_states_are_values():
    one = updated(1).state
    assert one == State.from_bytes(one.to_bytes())
    assert one != updated(2).state
    for change in (
        {"signature": krm.NDCG(4).signature},
        {"names": one.names[::-1]},
        {"draws": np.array(0)},
    ):
        assert one != dataclasses.replace(one, **change)
    assert repr(one) == f"<State of {one.signature}>"


def test_states_of_other_shapes_do_not_add_up():
    one = updated(1).state
    other = State(one.signature, np.zeros((1, 2)))
    with pytest.raises(ValueError, match="arrays of the same shapes"):
        one + other
