"""structtensor.ray.read(): the rows of Ray Data."""

import os
import subprocess
import sys

import framing
import pytest
import ray
from rows import assert_equal_rows, expected_rows, rows_of

import structtensor as st


@pytest.fixture(scope="module", autouse=True)
def cluster():
    os.environ["RAY_ENABLE_UV_RUN_RUNTIME_ENV"] = "0"
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, configure_logging=False)
    ray.data.DataContext.get_current().enable_progress_bars = False
    # Blocks in the order of the splits.
    ray.data.DataContext.get_current().execution_options.preserve_order = True
    yield
    ray.shutdown()


def table_of(dataset):
    import pyarrow as pa

    return pa.concat_tables(ray.get(dataset.to_arrow_refs()))


def read(messages, **options):
    return st.ray.read(messages.folder, messages.schema, format="delimited", timestamps="us", **options)


@pytest.mark.parametrize("messages", ["everything", "otlp"])
def test_rows_are_those_of_python_protobuf(request, messages):
    messages = request.getfixturevalue(messages)
    table = table_of(read(messages))
    assert_equal_rows(expected_rows(messages.parsed()), rows_of(table))


def test_rows_of_real_sets_are_those_of_python_protobuf(real_set):
    table = table_of(read(real_set))
    assert_equal_rows(expected_rows(real_set.parsed()), rows_of(table))


def test_options_are_those_of_scans_and_tasks_those_of_ray(otlp):
    dataset = read(otlp, rows="resource_spans.scope_spans.spans", select="name", override_num_blocks=3)
    assert dataset.materialize().num_blocks() == 3
    spans = [span for message in otlp.parsed() for r in message.resource_spans for s in r.scope_spans for span in s.spans]
    assert [row["name"] for row in dataset.take_all()] == [span.name for span in spans]
    assert dataset.filter(lambda row: row["name"] == "query").count() == sum(span.name == "query" for span in spans)
    with pytest.raises(TypeError, match="there is no option selct"):
        read(otlp, selct="name").take_all()
    with pytest.raises(FileNotFoundError, match="nothing"):
        st.ray.read(otlp.folder / "nothing", otlp.schema)
    with pytest.raises(TypeError, match="expected a scan"):
        st.ray.MessageDatasource(otlp.folder)


def test_a_file_with_an_index_is_several_tasks(otlp, tmp_path):
    (tmp_path / "all.pb").write_bytes(framing.frame_delimited(otlp.payloads))
    subprocess.run([sys.executable, "-m", "structtensor", "index", tmp_path / "all.pb", "--every", "1"], check=True)
    dataset = st.ray.read(tmp_path / "all.pb", otlp.schema, format="delimited", override_num_blocks=4).materialize()
    assert dataset.num_blocks() == 4
    assert rows_of(table_of(dataset)) == rows_of(table_of(st.ray.read(otlp.folder, otlp.schema, format="delimited")))


def test_files_without_rows_and_broken_messages(otlp, tmp_path):
    (tmp_path / "0.pb").write_bytes(b"")
    (tmp_path / "1.pb").write_bytes(framing.frame_delimited([otlp.payloads[0], b"\x0a\xff\x01"]))
    def read_all(**options):
        return st.ray.read(tmp_path, otlp.schema, format="delimited", select="/span_id/", **options)

    assert read_all(on_error="skip").count() == 1
    with pytest.raises(Exception, match=r"1\.pb.*resource_spans"):
        read_all().materialize()
