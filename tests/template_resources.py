"""template.yaml as it is written, for tests that compare the code with it."""

from functools import cache
from pathlib import Path
from typing import Any

import yaml

TEMPLATE = Path(__file__).parents[1] / "template.yaml"


class Loader(yaml.CSafeLoader):
    """Of CloudFormation's short tags, such as `!Sub`, it knows what stands behind them."""


def without_tag(loader: Loader, _: str, node: yaml.Node) -> Any:
    if isinstance(node, yaml.ScalarNode):
        return loader.construct_scalar(node)
    deep = loader.construct_sequence if isinstance(node, yaml.SequenceNode) else loader.construct_mapping
    return deep(node, deep=True)


Loader.add_multi_constructor("!", without_tag)


@cache
def properties_of(resource: str) -> dict[str, Any]:
    """Not to be changed."""
    template = yaml.load(TEMPLATE.read_text(), Loader)
    return dict(template["Resources"][resource]["Properties"])
