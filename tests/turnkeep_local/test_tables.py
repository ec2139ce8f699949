from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from turnkeep_local import LocalError
from turnkeep_local.tables import create_table, find_template, read_template, table_properties

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient


def _index(described):
    return {
        index["IndexName"]: (
            [(key["AttributeName"], key["KeyType"]) for key in index["KeySchema"]],
            index["Projection"]["ProjectionType"],
        )
        for index in described
    }


def test_the_table_is_what_the_template_says(dynamodb: "DynamoDBClient", table_name: str) -> None:
    template = table_properties(find_template())

    table = dynamodb.describe_table(TableName=table_name)["Table"]

    assert table["KeySchema"] == template["KeySchema"]
    assert table["BillingModeSummary"]["BillingMode"] == template["BillingMode"]
    assert sorted(table["AttributeDefinitions"], key=str) == sorted(template["AttributeDefinitions"], key=str)
    assert _index(table["GlobalSecondaryIndexes"]) == _index(template["GlobalSecondaryIndexes"])
    ttl = dynamodb.describe_time_to_live(TableName=table_name)["TimeToLiveDescription"]
    assert ttl["AttributeName"] == template["TimeToLiveSpecification"]["AttributeName"]
    assert ttl["TimeToLiveStatus"] == "ENABLED"


def test_the_template_holds_the_layout_that_the_code_counts_on() -> None:
    template = table_properties(find_template())

    assert [key["AttributeName"] for key in template["KeySchema"]] == ["PK", "SK"]
    assert _index(template["GlobalSecondaryIndexes"]) == {
        "by_user": ([("u", "HASH"), ("la", "RANGE")], "KEYS_ONLY"),
        "by_expiry": ([("xh", "HASH"), ("PK", "RANGE")], "KEYS_ONLY"),
    }
    assert template["TimeToLiveSpecification"] == {"AttributeName": "ttl", "Enabled": True}


def test_a_table_that_is_there_already_is_left_alone(dynamodb: "DynamoDBClient", table_name: str) -> None:
    dynamodb.put_item(TableName=table_name, Item={"PK": {"S": "a"}, "SK": {"S": "b"}})

    made = create_table(dynamodb, table_name, find_template())

    assert made is False
    assert "Item" in dynamodb.get_item(TableName=table_name, Key={"PK": {"S": "a"}, "SK": {"S": "b"}})


def test_short_tags_are_read_as_their_long_forms(tmp_path: Path) -> None:
    file = tmp_path / "template.yaml"
    file.write_text("Resources:\n  A: !Ref B\n  C: !Sub ['${x}', {x: !GetAtt D.Arn}]\n  E: !If {F: 1}\n")

    assert read_template(file)["Resources"] == {
        "A": {"Ref": "B"},
        "C": {"Fn::Sub": ["${x}", {"x": {"Fn::GetAtt": "D.Arn"}}]},
        "E": {"Fn::If": {"F": 1}},
    }


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("Resources: [", "not valid YAML"),
        ("a: 1", "has no Resources"),
        ("- 1", "has no Resources"),
        ("Resources: {}", "no AWS::DynamoDB::Table called Table"),
        ("Resources: {Table: {Type: AWS::S3::Bucket}}", "no AWS::DynamoDB::Table called Table"),
        ("a: !!python/object/apply:os.getcwd []", "not valid YAML"),
    ],
)
def test_a_template_that_cannot_be_used_is_said_with_its_path(tmp_path: Path, text: str, complaint: str) -> None:
    file = tmp_path / "template.yaml"
    file.write_text(text)

    with pytest.raises(LocalError, match=complaint) as caught:
        table_properties(file)
    assert str(file) in str(caught.value)


def test_a_missing_template_is_said_with_its_path(tmp_path: Path) -> None:
    with pytest.raises(LocalError, match=r"absent\.yaml cannot be read: No such file"):
        read_template(tmp_path / "absent.yaml")
