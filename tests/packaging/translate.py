"""Prints the template as CloudFormation receives it, as JSON. Run by the Python that SAM is installed for."""

import json
import sys
from pathlib import Path

from samcli.lib.translate.sam_template_validator import SamTemplateValidator
from samcli.yamlhelper import yaml_parse


class NoManagedPolicies:
    """The template names its managed policies in full, so none has to be looked up."""

    def load(self) -> dict[str, str]:
        return {}


template = yaml_parse(Path(sys.argv[1]).read_text(encoding="utf-8"))
for resource, properties in json.loads(sys.argv[2]).items():
    template["Resources"][resource]["Properties"].update(properties)
validator = SamTemplateValidator(template, NoManagedPolicies())
print(json.dumps(yaml_parse(validator.get_translated_template_if_valid()), default=str))
