"""Just enough of CloudFormation to know what a translated template says for one environment."""

import re
from typing import Any

PSEUDO = {
    "AWS::Region": "eu-central-1",
    "AWS::AccountId": "111122223333",
    "AWS::Partition": "aws",
    "AWS::URLSuffix": "amazonaws.com",
    "AWS::StackName": "lanekeeper",
    "AWS::NoValue": None,
}

# What a deployer would give.
PARAMETERS = {
    "MainlineBaseUrl": "https://mainline.example.com/v1",
    "MainlineKeySecret": "arn:aws:secretsmanager:eu-central-1:111122223333:secret:mainline",
    "SearchBaseUrl": "https://search.example.com",
    "SearchKeySecret": "arn:aws:secretsmanager:eu-central-1:111122223333:secret:search",
}

# What AWS would give, where a name alone would not do.
ATTRIBUTES = {"Database.Endpoint.Address": "database.example.com", "Database.Endpoint.Port": "5432"}


class Stack:
    """A translated template with its parameters filled in."""

    def __init__(self, template: dict[str, Any], **parameters: str) -> None:
        self.template = template
        defaults = {name: p["Default"] for name, p in template["Parameters"].items() if "Default" in p}
        self.parameters = {**PSEUDO, **defaults, "Environment": "production", **PARAMETERS, **parameters}

    def of_type(self, kind: str) -> dict[str, dict[str, Any]]:
        """The resources of one type, by id, as they stand in the template."""
        return {name: r for name, r in self.template["Resources"].items() if r["Type"] == kind}

    def properties(self, resource: str) -> dict[str, Any]:
        """A resource's properties with every function of CloudFormation's worked out."""
        resolved: dict[str, Any] = self.resolve(self.template["Resources"][resource]["Properties"])
        return resolved

    def resolve(self, value: Any) -> Any:
        """A value with every function of CloudFormation's worked out; what has no value is left out."""
        if isinstance(value, list):
            return [resolved for item in value if (resolved := self.resolve(item)) is not None]
        if not isinstance(value, dict):
            return value
        if len(value) == 1:
            ((name, argument),) = value.items()
            if name == "Ref":
                return self.parameters.get(argument, argument)
            if name == "Condition":
                return self.resolve(self.template["Conditions"][argument])
            if name.startswith("Fn::"):
                return getattr(self, "_" + name.removeprefix("Fn::").lower())(argument)
        return {key: resolved for key, item in value.items() if (resolved := self.resolve(item)) is not None}

    def _getatt(self, argument: Any) -> str:
        path = argument if isinstance(argument, str) else ".".join(argument)
        return ATTRIBUTES.get(path, path)

    def _sub(self, text: str) -> str:
        def fill(match: re.Match[str]) -> str:
            name = match[1]
            return str(self._getatt(name) if "." in name else self.parameters.get(name, name))

        return re.sub(r"\$\{([\w:.]+)\}", fill, text)

    def _if(self, argument: list[Any]) -> Any:
        condition, then, otherwise = argument
        return self.resolve(then if self.resolve({"Condition": condition}) else otherwise)

    def _equals(self, argument: list[Any]) -> bool:
        left, right = (self.resolve(item) for item in argument)
        return bool(left == right)

    def _not(self, argument: list[Any]) -> bool:
        return not self.resolve(argument[0])

    def _and(self, argument: list[Any]) -> bool:
        return all(self.resolve(item) for item in argument)

    def _findinmap(self, argument: list[Any]) -> Any:
        table, row, column = (self.resolve(item) for item in argument)
        return self.template["Mappings"][table][row][column]

    def _join(self, argument: list[Any]) -> str:
        separator, items = argument[0], self.resolve(argument[1])
        return str(separator.join(items) if isinstance(items, list) else items)

    def _select(self, argument: list[Any]) -> str:
        return f"{argument[1]}[{argument[0]}]"

    def _getazs(self, argument: Any) -> str:
        return "zones"
