import os
import uuid

from riposte_sdk._request_ids import RequestIds


def test_ids_are_uuids_of_version_7_that_rise_and_share_their_tail() -> None:
    ids = RequestIds()
    made = [ids.next() for _ in range(20_000)]
    assert made == sorted(set(made))
    first = uuid.UUID(made[0])
    assert (first.version, first.variant) == (7, uuid.RFC_4122)
    assert {one[24:] for one in made} == {made[0][24:]}
    assert RequestIds().next()[24:] != made[0][24:]


def test_a_forked_child_is_a_client_of_its_own() -> None:
    ids = RequestIds()
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(writer, ids.next().encode())
        os._exit(0)
    os.waitpid(child, 0)
    assert os.read(reader, 36).decode()[24:] != ids.next()[24:]
