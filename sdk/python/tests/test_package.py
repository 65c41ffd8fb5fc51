"""The installed package: what it brings, and that it shares nothing with its neighbours."""

from importlib.metadata import Distribution, distribution, distributions
from pathlib import PurePosixPath

import authzed.api.v1

import riposte_sdk
from riposte_sdk import v1


def files(of: Distribution) -> set[PurePosixPath]:
    """What an installation put into the environment; not what was compiled there later."""
    return {PurePosixPath(file) for file in of.files or () if "__pycache__" not in file.parts}


OURS = distribution("riposte-sdk")


def test_the_tests_use_what_was_installed() -> None:
    assert str(OURS.locate_file("riposte_sdk")) == str(PurePosixPath(riposte_sdk.__file__).parent)


def test_every_file_lies_under_our_names() -> None:
    tops = {file.parts[0] for file in files(OURS)}
    assert tops == {"riposte_sdk", "riposte_sdk_pytest.py", f"riposte_sdk-{OURS.version}.dist-info"}


def test_no_file_is_shared_with_a_neighbour() -> None:
    neighbours = [one for one in distributions() if one.name != OURS.name]
    assert {"googleapis-common-protos", "authzed", "cerbos", "temporalio"} <= {one.name for one in neighbours}
    for neighbour in neighbours:
        assert not files(OURS) & files(neighbour), neighbour.name


def test_a_neighbour_with_generated_code_works_in_the_same_process() -> None:
    assert authzed.api.v1.ObjectReference(object_type="article", object_id="1").object_id == "1"
    assert v1.SubjectKey(object_type="article", object_id="1").object_id == "1"


def test_types_and_licence_are_in_the_package_and_generators_are_not_needed() -> None:
    names = {file.name for file in files(OURS)}
    assert {"py.typed", "comment_pb2.pyi", "comment_service_pb2_grpc.pyi", "LICENSE"} <= names
    required = [line for line in OURS.requires or () if "extra ==" not in line]
    assert not [line for line in required if line.startswith(("grpcio-tools", "protovalidate"))]
