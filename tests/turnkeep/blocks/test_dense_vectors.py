import numpy
import pytest

from turnkeep.blocks.dense import digest, load_vectors, save_vectors

MODEL = "a model"
VECTORS = {digest("one"): numpy.array([1, 0], numpy.float16), digest("two"): numpy.array([0, 1], numpy.float16)}


@pytest.fixture
def path(tmp_path):
    return tmp_path / "vectors.npz"


def saved(path):
    save_vectors(path, MODEL, VECTORS)
    return path.read_bytes()


def test_what_was_saved_is_loaded(path):
    saved(path)
    loaded = load_vectors(path, MODEL, 2)
    assert {key: row.tolist() for key, row in loaded.items()} == {key: row.tolist() for key, row in VECTORS.items()}


def test_the_same_vectors_are_the_same_file(path):
    assert saved(path) == saved(path)


def test_vectors_of_another_model_are_not_used(path):
    saved(path)
    assert load_vectors(path, "another", 2) == {}


def test_an_absent_file_holds_nothing(path):
    assert load_vectors(path, MODEL, 2) == {}


@pytest.mark.parametrize("content", [b"", b"no file of ours", b"PK\x03\x04", b"\x93NUMPY\x01\x00"])
def test_a_file_of_another_kind_is_not_used(path, content):
    path.write_bytes(content)
    assert load_vectors(path, MODEL, 2) == {}


def test_a_damaged_file_is_never_believed(path):
    whole = saved(path)
    for length in range(0, len(whole), 7):
        path.write_bytes(whole[:length])
        assert load_vectors(path, MODEL, 2) == {}
    for at in range(0, len(whole), 7):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 0xFF]) + whole[at + 1 :])
        for key, row in load_vectors(path, MODEL, 2).items():
            assert row.tolist() == VECTORS[key].tolist()


@pytest.mark.parametrize("row", [[1, 2, 3], [numpy.nan, 0], [numpy.inf, 0]])
def test_rows_that_are_no_vectors_of_the_model_are_not_used(path, row):
    save_vectors(path, MODEL, {digest("one"): numpy.array(row, numpy.float16)})
    assert load_vectors(path, MODEL, 2) == {}


def test_an_array_alone_is_not_used(path):
    with path.open("wb") as file:
        numpy.save(file, numpy.zeros((2, 2), numpy.float16))
    assert load_vectors(path, MODEL, 2) == {}


def test_an_array_that_could_run_code_is_not_read(path):
    with path.open("wb") as file:
        numpy.savez(file, model=numpy.array(MODEL), digests=numpy.array(["one"], "S"), vectors=numpy.array([object()]))
    assert load_vectors(path, MODEL, 2) == {}


def test_a_folder_that_cannot_be_written_leaves_no_file_and_no_error(tmp_path):
    save_vectors(tmp_path / "absent" / "vectors.npz", MODEL, VECTORS)
    assert list(tmp_path.iterdir()) == []


def test_a_save_leaves_nothing_but_the_file_readable_for_all(path):
    saved(path)
    assert [file.name for file in path.parent.iterdir()] == [path.name]
    assert path.stat().st_mode & 0o777 == 0o644
