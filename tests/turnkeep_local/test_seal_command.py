"""`turnkeep seal`: ids and days, never secrets; at no moment of a rotation does something that counts not open; a lost
key is given up by a command of its own and by nothing else."""

import secrets
from collections.abc import Callable
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import boto3
import pytest
from test_keys_command import account, complaint, keys_of, table  # noqa: F401 - fixtures
from test_sealkey import Ssm, parameter

from hand_clock import HandClock
from turnkeep.records import Principal
from turnkeep.ring import KEPT_DAYS, Secret, read_ring, secrets_of
from turnkeep.storage.apikeys import ApiKeys, Forged
from turnkeep.storage.items import Items
from turnkeep.storage.keyring import Keyring
from turnkeep.storage.sealmark import SealMark
from turnkeep_local import LocalError
from turnkeep_local.cli import main
from turnkeep_local.deployed.account import Deployment, explained, parameter_of
from turnkeep_local.deployed.seal import UNDER_WAY_SECONDS, SealDesk
from turnkeep_local.home import Home

NAME = "/x/seal-key"
DAY = date(2026, 11, 22)


class Site:
    """A deployment over a real table and a parameter in memory."""

    def __init__(self, items: Items) -> None:
        self.items, self.clock, self.day = items, HandClock(), DAY
        self.ssm = Ssm(self.clock)
        self.deployment = Deployment(items, parameter(self.ssm, self.clock))

    @property
    def ring(self) -> tuple[Secret, ...]:
        return read_ring(self.ssm.values[NAME])

    def desk(self, mint: Callable[[], str] = lambda: secrets.token_hex(8)) -> SealDesk:
        return SealDesk(self.deployment, clock=self.clock, day=lambda: self.day, mint=mint)

    def keys(self) -> ApiKeys:
        keyring = Keyring(*secrets_of(self.ssm.values[NAME]))
        return ApiKeys(self.items, keyring, clock=self.clock, mint=secrets.token_bytes)


@pytest.fixture
def site(dynamodb: Any, table_name: str) -> Site:
    return Site(Items(dynamodb, table_name))


def test_a_rotation_seals_with_a_new_secret_keeps_the_old_and_signs_all_keys_anew(site: Site) -> None:
    site.desk().show()
    (old,) = site.ring
    key = site.keys().create(Principal("acme", "ann"))[1]
    said = site.desk().rotate()
    new, kept = site.ring
    assert (new.made, kept) == (DAY, Secret(old.value, old.made))
    assert f"{new.id}  2026-11-22  seals\n{old.id}" in said
    assert said.endswith("Dropped: none. API keys signed anew: 1.")
    assert not any(secret.value in said for secret in site.ring)
    alone = ApiKeys(site.items, Keyring(new.value.encode()), clock=site.clock, mint=bytes)
    assert alone.find(key).principal == Principal("acme", "ann")
    assert SealMark(site.items, clock=site.clock).read().ids == (new.id, old.id)


@pytest.mark.parametrize(("days", "held"), [(KEPT_DAYS - 1, 3), (KEPT_DAYS, 3), (KEPT_DAYS + 1, 2)])
def test_a_secret_is_dropped_by_the_first_rotation_after_no_thread_can_need_it(
    site: Site, days: int, held: int
) -> None:
    site.desk().show()
    site.day += timedelta(days=200)  # how long it was the newest does not count
    site.desk().rotate()
    site.day += timedelta(days=days)
    said = site.desk().rotate()
    assert len(site.ring) == held
    assert ("Dropped: none" in said) == (held == 3)


def test_a_key_signed_under_a_secret_that_is_dropped_is_signed_anew_before(site: Site) -> None:
    site.desk().show()
    stale = site.keys()
    site.desk().rotate()
    _, key = stale.create(Principal("acme", "ann"))  # by somebody who had read the ring before
    site.day += timedelta(days=KEPT_DAYS + 1)
    site.desk().rotate()
    assert len(site.ring) == 2
    site.keys().find(key)


def test_who_has_seen_the_key_is_shut_out_at_once_and_api_keys_go_on(site: Site) -> None:
    site.desk().show()
    seen = site.keys()
    _, key = seen.create(Principal("acme", "ann"))
    site.desk().rotate(drop_older=True)
    assert len(site.ring) == 1
    site.keys().find(key)
    _, forged = seen.create(Principal("acme", "ann", acts_for="any"))
    with pytest.raises(Forged):
        site.keys().find(forged)


def test_a_bare_secret_of_before_becomes_the_older_of_two(site: Site) -> None:
    site.ssm.values[NAME] = "a bare one"
    site.desk().rotate()
    assert [secret.value for secret in site.ring][1:] == ["a bare one"]
    assert "day unknown" not in site.desk().show()


def test_of_two_rotations_at_once_one_is_told_to_wait_and_no_secret_is_lost(site: Site) -> None:
    site.desk().show()

    def mint_while_another_rotates() -> str:
        site.desk().rotate()
        return "the later"

    with pytest.raises(LocalError, match="Another rotation of this key is under way"):
        site.desk(mint_while_another_rotates).rotate()
    assert len(site.ring) == 2
    assert "the later" not in site.ssm.values[NAME]


def test_a_rotation_that_was_broken_off_is_waited_for_and_then_begun_anew(site: Site) -> None:
    site.desk().show()
    site.ssm._faults = iter([None, ConnectionError()])  # its ring was read and marked, and then the terminal was closed
    with pytest.raises(ConnectionError):
        site.desk().rotate()
    with pytest.raises(LocalError, match="under way, or was broken off just now"):
        site.desk().rotate()
    site.clock.now += UNDER_WAY_SECONDS
    site.desk().rotate()
    assert len(site.ring) == 2


def test_a_lost_key_is_forgotten_by_its_own_command_only(site: Site) -> None:
    site.desk().show()
    (lost,) = site.ring
    key = site.keys().create(Principal("acme", "ann"))[1]
    with pytest.raises(LocalError, match="is there, so nothing is to be forgotten"):
        site.desk().forget()
    del site.ssm.values[NAME]
    for verb in ("show", "rotate"):
        with pytest.raises(LocalError, match="is lost, and threads are sealed under it"), explained():
            getattr(site.desk(), verb)()
    assert f"Forgotten: {lost.id}." in site.desk().forget()
    with pytest.raises(LocalError, match="No seal key was made yet"):
        site.desk().forget()
    site.desk().show()
    with pytest.raises(Forged):
        site.keys().find(key)


def test_a_value_that_is_no_ring_is_told_by_its_line(site: Site) -> None:
    site.ssm.values[NAME] = "2026-11-22 canary\n2026-11-31 canary"
    with pytest.raises(LocalError, match="cannot be used: line 2 is not a day and a secret") as caught:
        site.desk().rotate()
    assert "canary" not in str(caught.value)


def test_the_key_of_a_stack_is_shown_and_rotated(table: str, capsys: pytest.CaptureFixture[str]) -> None:  # noqa: F811
    main(["keys", "create", "--tenant", "acme", "--user", "ann"])
    key = capsys.readouterr().out.strip()
    assert main(["seal", "rotate", "--stack", "turnkeep"]) == 0
    newest, older, last = capsys.readouterr().out.splitlines()
    assert (newest[-5:], "opens what it sealed, until 20" in older) == ("seals", True)
    assert last == "Dropped: none. API keys signed anew: 1."
    keys_of(table).find(key)
    assert main(["seal", "show", "--stack", "turnkeep"]) == 0
    assert capsys.readouterr().out.splitlines() == [newest, older]
    value = boto3.client("ssm").get_parameter(Name=parameter_of("turnkeep"), WithDecryption=True)["Parameter"]["Value"]
    assert [secret.id for secret in read_ring(value)] == [line.split()[0] for line in (newest, older)]
    assert "nothing is to be forgotten" in complaint(capsys, "seal", "forget", "--stack", "turnkeep")


def test_the_key_of_this_machine_is_shown_rotated_and_told_when_it_is_lost(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TURNKEEP_HOME", str(tmp_path))
    home = Home(tmp_path)
    home.seal_key()
    home.database.mkdir()
    (old,) = home.seal_secrets()
    assert main(["seal", "rotate"]) == 0
    assert home.seal_secrets()[1] == old
    shown = capsys.readouterr().out.splitlines()
    assert main(["seal", "show"]) == 0
    assert capsys.readouterr().out.splitlines() == shown[:2]
    assert "nothing is to be forgotten" in complaint(capsys, "seal", "forget")
    assert main(["seal", "rotate", "--drop-older"]) == 0
    assert len(home.seal_secrets()) == 1
    capsys.readouterr()
    home.seal_file.unlink()
    assert f"{home.seal_file} is lost, and threads are sealed under it" in complaint(capsys, "seal", "rotate")
    assert home.seal_secrets() == ()
    assert main(["seal", "forget"]) == 0
    assert len(home.seal_secrets()) == 1
    capsys.readouterr()
    home.seal_file.write_text("2026-11-22 a\ncanary")
    assert "seal.key cannot be used: line 2" in complaint(capsys, "seal", "show")
    monkeypatch.setenv("SEAL_KEY", "x")
    assert "SEAL_KEY of the environment seals" in complaint(capsys, "seal", "rotate")
