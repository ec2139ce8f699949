from turnkeep.aws.clients import LateClient


class Client:
    region = "eu-west-1"


def test_a_late_client_is_made_once_and_not_before_it_is_used() -> None:
    made: list[Client] = []

    def make() -> Client:
        made.append(Client())
        return made[-1]

    late = LateClient(make)
    assert made == []
    assert (late.region, late.region, len(made)) == ("eu-west-1", "eu-west-1", 1)
