"""Invented OpenAPI documents of the APIs.guru directory, for trying the pipeline without a network.

Services are invented. Form and odd values follow recorded documents: quoted status codes, versions that look like
numbers, plain and quoted scalars, `|` blocks, `{}` and `[]`, extensions of the directory, OpenAPI 3 beside Swagger 2,
documents of one operation beside documents of dozens.
"""

import random
from collections.abc import Iterator
from typing import Any

from .words import words

SERVICE = "https://api.apis.guru/v2/specs"
W = words("apis_guru")
METHODS = [("get", "list"), ("post", "create"), ("get", "get"), ("put", "update"), ("delete", "delete")]


def responses(source: str) -> Iterator[tuple[str, str, str]]:
    """Name, address and text of each document."""
    rng = random.Random("treebench sample apis_guru")
    for number in range(120):
        provider = W["providers"][number % len(W["providers"])]
        version = f"{1 + number % 4}.{number % 7}" if number % 3 else f"{1 + number % 4}.0.{number % 5}"
        old = number % 3 == 2
        chosen = rng.sample(W["resources"], 1 + int(rng.random() ** 3 * len(W["resources"])))
        service = chosen[0][1]
        lines = [*_head(rng, provider, service, version, old, number)]
        lines += ["paths:", *(line for kind in chosen for line in _paths(rng, kind, old, len(chosen) == 1))]
        lines += _schemas(rng, chosen, old)
        name = f"{provider}/{service}-{number}/{version}/{'swagger' if old else 'openapi'}.yaml"
        yield name, f"{SERVICE}/{name}", "\n".join(lines) + "\n"


def _head(rng: random.Random, provider: str, service: str, version: str, old: bool, number: int) -> Iterator[str]:
    if old:
        yield from ('swagger: "2.0"', "schemes:", "  - https", f"host: api.{provider}", "basePath: /v1")
    else:
        yield from ("openapi: 3.0.0", "servers:", f"  - url: https://api.{provider}/v1")
    yield "info:"
    if rng.random() < 0.5:
        yield "  contact: {}"
    if rng.random() < 0.4:
        yield from ("  description: |", *(f"    {line}".rstrip() for line in W["long"].rstrip("\n").split("\n")))
    else:
        yield f"  description: Access to {service} of {provider}."
    if rng.random() < 0.6:
        yield from ("  license:", f"    name: {rng.choice(W['licences'])}")
    yield f"  title: {provider.split('.')[0].title()} {service} API ({number})"
    yield f"  version: {version}" if number % 2 else f'  version: "{version}"'
    yield from ("  x-apisguru-categories:", f"    - {rng.choice(['media', 'transport', 'open_data', 'iot'])}")
    yield f"  x-providerName: {provider}"
    if rng.random() < 0.3:
        yield "# Generated from the published description."
    yield from ("security: []" if not old else "consumes:\n  - application/json").split("\n")


def _paths(rng: random.Random, kind: list[Any], old: bool, alone: bool) -> Iterator[str]:
    singular, plural, _ = kind
    methods = METHODS[:1] if alone and rng.random() < 0.3 else rng.sample(METHODS, rng.randrange(2, len(METHODS) + 1))
    for single in (False, True):
        chosen = [(method, verb) for method, verb in METHODS if (method, verb) in methods and (verb in ONE) == single]
        if not chosen:
            continue
        yield f'  "/{plural}/{{{singular}_id}}":' if single else f"  /{plural}:"
        for method, verb in chosen:
            yield from _operation(rng, method, verb, kind, old)


ONE = frozenset(("get", "update", "delete"))
"""Verbs that act on one entry."""


def _operation(rng: random.Random, method: str, verb: str, kind: list[Any], old: bool) -> Iterator[str]:
    singular, plural, _ = kind
    name = f"{verb}{(plural if verb == 'list' else singular).title()}"
    yield f"    {method}:"
    if rng.random() < 0.5:
        yield f"      description: {rng.choice(W['summaries'][verb]).format(singular=singular, plural=plural)}."
    yield f"      operationId: {name}"
    parameters = rng.sample(W["filters"], rng.randrange(1, 5)) if verb == "list" else []
    if verb in ONE or parameters:
        yield "      parameters:"
    if verb in ONE:
        yield from _parameter(rng, f"{singular}_id", "path", "string", f"Identifier of the {singular}", True, old)
    for field, sort, text in parameters:
        yield from _parameter(rng, field, "header" if field[0] == "X" else "query", sort, text, rng.random() < 0.2, old)
    if verb in ("create", "update") and not old:
        reference = f'"#/components/schemas/{singular.title()}"'
        yield from ("      requestBody:", "        content:", "          application/json:", "            schema:")
        yield f"              $ref: {reference}"
    yield "      responses:"
    yield from (
        '        "200":',
        f"          description: {'The ' + singular if verb != 'list' else 'A page of ' + plural}",
    )
    for code in sorted(rng.sample(sorted(W["errors"]), rng.randrange(1, 4))):
        yield from (f'        "{code}":', f"          description: {W['errors'][code]}")
    yield f"      summary: {rng.choice(W['summaries'][verb]).format(singular=singular, plural=plural)}"
    yield from ("      tags:", f"        - {plural}")


def _parameter(
    rng: random.Random, name: str, place: str, sort: str, text: str, required: bool, old: bool
) -> Iterator[str]:
    yield f"        - description: {_scalar(text)}"
    yield f"          in: {place}"
    yield f"          name: {name}"
    yield f"          required: {'true' if required else 'false'}"
    bounds = _bounds(rng, sort)
    if old:
        yield from (*(f"          {line}" for line in bounds), f"          type: {sort}")
    else:
        yield "          schema:"
        yield from (*(f"            {line}" for line in bounds), f"            type: {sort}")


def _bounds(rng: random.Random, sort: str) -> list[str]:
    """What some documents say of the values that are allowed."""
    if rng.random() < 0.4 or sort == "boolean":
        return []
    if sort in ("integer", "number"):
        least = rng.choice([0, 1, -rng.randrange(2, 90)])
        most = least + rng.randrange(9, 990)
        return [f"default: {rng.randrange(least, most)}", f"maximum: {most}", f"minimum: {least}"]
    return [f"maxLength: {rng.randrange(8, 400)}", f"minLength: {rng.randrange(1, 8)}"]


def _schemas(rng: random.Random, chosen: list[list[Any]], old: bool) -> list[str]:
    lines = ["definitions:"] if old else ["components:", "  schemas:"]
    indent = "  " if old else "    "
    for singular, _, properties in chosen:
        lines += [f"{indent}{singular.title()}:", f"{indent}  properties:"]
        for name, sort, form, text in properties:
            lines += [f"{indent}    {name}:", f"{indent}      description: {text}"]
            lines += [f"{indent}      format: {form}"] if form else []
            lines += [f"{indent}      {line}" for line in _bounds(rng, sort)]
            lines.append(f"{indent}      type: {sort}")
        lines += [f"{indent}  required:", f"{indent}    - {properties[0][0]}", f"{indent}  type: object"]
    return lines


def _scalar(text: str) -> str:
    """Plain where YAML allows it."""
    return f'"{text}"' if ": " in text or text[0] in "`-" or " #" in text or "`" in text else text
