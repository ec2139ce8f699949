"""Prints template.yaml as SAM translates it. Run by the Python of .tools/sam, which alone has SAM."""

import json
import logging
import sys
from pathlib import Path
from typing import Any

import boto3
from samtranslator.parser.parser import Parser
from samtranslator.translator.translator import Translator
from samtranslator.yaml_helper import yaml_parse

SOURCES = {"CodeUri", "ContentUri"}


def translate(template: Path, built: str, parameters: dict[str, str]) -> dict[str, Any]:
    """As if the layers lay at `built`."""
    logging.disable(logging.CRITICAL)
    document = yaml_parse(template.read_text())
    for resource in document["Resources"].values():
        for name in SOURCES & resource.get("Properties", {}).keys():
            resource["Properties"][name] = built if name == "ContentUri" else "s3://bucket/functions"
    inner = {
        name: yaml_parse((template.parent / resource["Properties"]["TemplateURL"]).read_text())
        for name, resource in document["Resources"].items()
        if resource["Type"] == "AWS::CloudFormation::Stack"
    }
    session = boto3.Session(region_name="eu-west-1")
    done = Translator({}, Parser(), boto_session=session).translate(document, parameter_values=parameters)
    for name, found in inner.items():
        done["Resources"][name]["Template"] = found
    return done


if __name__ == "__main__":
    given = dict(pair.split("=", 1) for pair in sys.argv[3:])
    json.dump(translate(Path(sys.argv[1]), sys.argv[2], given), sys.stdout)
