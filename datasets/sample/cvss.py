"""Scores of vulnerabilities from their vectors: CVSS 2.0 and 3.1 by their formulas, 4.0 from published examples."""

from typing import Any

NVD = "nvd@sample.example.org"
"""Who scores in the sample."""

WORDS_3 = {
    "AV": ("attackVector", {"N": "NETWORK", "A": "ADJACENT_NETWORK", "L": "LOCAL", "P": "PHYSICAL"}),
    "AC": ("attackComplexity", {"L": "LOW", "H": "HIGH"}),
    "PR": ("privilegesRequired", {"N": "NONE", "L": "LOW", "H": "HIGH"}),
    "UI": ("userInteraction", {"N": "NONE", "R": "REQUIRED"}),
    "S": ("scope", {"U": "UNCHANGED", "C": "CHANGED"}),
    "C": ("confidentialityImpact", {"N": "NONE", "L": "LOW", "H": "HIGH"}),
    "I": ("integrityImpact", {"N": "NONE", "L": "LOW", "H": "HIGH"}),
    "A": ("availabilityImpact", {"N": "NONE", "L": "LOW", "H": "HIGH"}),
}
WORDS_2 = {
    "AV": ("accessVector", {"N": "NETWORK", "A": "ADJACENT_NETWORK", "L": "LOCAL"}),
    "AC": ("accessComplexity", {"L": "LOW", "M": "MEDIUM", "H": "HIGH"}),
    "Au": ("authentication", {"N": "NONE", "S": "SINGLE", "M": "MULTIPLE"}),
    "C": ("confidentialityImpact", {"N": "NONE", "P": "PARTIAL", "C": "COMPLETE"}),
    "I": ("integrityImpact", {"N": "NONE", "P": "PARTIAL", "C": "COMPLETE"}),
    "A": ("availabilityImpact", {"N": "NONE", "P": "PARTIAL", "C": "COMPLETE"}),
}
WORDS_4 = [
    ("AV", "attackVector"), ("AC", "attackComplexity"), ("AT", "attackRequirements"), ("PR", "privilegesRequired"),
    ("UI", "userInteraction"), ("VC", "vulnConfidentialityImpact"), ("VI", "vulnIntegrityImpact"),
    ("VA", "vulnAvailabilityImpact"), ("SC", "subConfidentialityImpact"), ("SI", "subIntegrityImpact"),
    ("SA", "subAvailabilityImpact"),
]  # fmt: skip
VALUES_4 = {"N": "NONE", "L": "LOW", "H": "HIGH", "P": "PRESENT"}
UNDEFINED_4 = [
    "exploitMaturity", "confidentialityRequirement", "integrityRequirement", "availabilityRequirement",
    "modifiedAttackVector", "modifiedAttackComplexity", "modifiedAttackRequirements", "modifiedPrivilegesRequired",
    "modifiedUserInteraction", "modifiedVulnConfidentialityImpact", "modifiedVulnIntegrityImpact",
    "modifiedVulnAvailabilityImpact", "modifiedSubConfidentialityImpact", "modifiedSubIntegrityImpact",
    "modifiedSubAvailabilityImpact", "Safety", "Automatable", "Recovery", "valueDensity",
    "vulnerabilityResponseEffort", "providerUrgency",
]  # fmt: skip


def version_3(vector: str, version: str, sort: str) -> dict[str, Any]:
    """An entry of CVSS 3.0 or 3.1."""
    chosen = dict(part.split(":") for part in vector.split("/"))
    score, exploitability, impact = score_3(chosen)
    words = {WORDS_3[short][0]: WORDS_3[short][1][value] for short, value in chosen.items()}
    data = {
        "version": version,
        "vectorString": f"CVSS:{version}/{vector}",
        "baseScore": score,
        "baseSeverity": severity(score),
    }
    source = NVD if sort == "Primary" else "security@sample.example.org"
    scores = {"exploitabilityScore": exploitability, "impactScore": impact}
    return {"source": source, "type": sort, "cvssData": data | words} | scores


def version_2(vector: str, sort: str) -> dict[str, Any]:
    """An entry of CVSS 2.0."""
    chosen = dict(part.split(":") for part in vector.split("/"))
    score, exploitability, impact = score_2(chosen)
    words = {WORDS_2[short][0]: WORDS_2[short][1][value] for short, value in chosen.items()}
    data = {"version": "2.0", "vectorString": vector, "baseScore": score} | words
    return {
        "source": NVD,
        "type": sort,
        "cvssData": data,
        "baseSeverity": "HIGH" if score >= 7 else "MEDIUM" if score >= 4 else "LOW",
        "exploitabilityScore": exploitability,
        "impactScore": impact,
        "acInsufInfo": False,
        "obtainAllPrivilege": chosen["C"] == "C",
        "obtainUserPrivilege": False,
        "obtainOtherPrivilege": False,
        "userInteractionRequired": chosen["AC"] == "M",
    }


def version_4(vector: str, score: float, rating: str) -> dict[str, Any]:
    """An entry of CVSS 4.0, with a published score."""
    chosen = dict(part.split(":") for part in vector.split("/")[1:])
    data = {"version": "4.0", "vectorString": vector, "baseScore": score, "baseSeverity": rating}
    words = {
        name: VALUES_4[chosen[short]] if short != "AV" else {"N": "NETWORK", "L": "LOCAL"}[chosen[short]]
        for short, name in WORDS_4
    }
    undefined = dict.fromkeys(UNDEFINED_4, "NOT_DEFINED")
    return {"source": "security@sample.example.org", "type": "Secondary", "cvssData": data | words | undefined}


def score_3(chosen: dict[str, str]) -> tuple[float, float, float]:
    """Base, exploitability and impact score of CVSS 3.1 (specification, section 7.1), in exact arithmetic."""
    changed = chosen["S"] == "C"
    impact = {"N": 0.0, "L": 0.22, "H": 0.56}
    base = 1 - (1 - impact[chosen["C"]]) * (1 - impact[chosen["I"]]) * (1 - impact[chosen["A"]])
    if changed:
        power = 1.0
        for _ in range(15):
            power *= base - 0.02
        part = 7.52 * (base - 0.029) - 3.25 * power
    else:
        part = 6.42 * base
    rights = {"N": 0.85, "L": 0.68 if changed else 0.62, "H": 0.5 if changed else 0.27}
    vector = {"N": 0.85, "A": 0.62, "L": 0.55, "P": 0.2}[chosen["AV"]]
    ease = (
        8.22
        * vector
        * {"L": 0.77, "H": 0.44}[chosen["AC"]]
        * rights[chosen["PR"]]
        * {"N": 0.85, "R": 0.62}[chosen["UI"]]
    )
    total = min(1.08 * (part + ease) if changed else part + ease, 10)
    whole = int(total * 100_000 + 0.5)
    score = whole / 100_000 if whole % 10_000 == 0 else (whole // 10_000 + 1) / 10
    return (score if part > 0 else 0.0), round(ease, 1), round(part, 1)


def score_2(chosen: dict[str, str]) -> tuple[float, float, float]:
    """Base, exploitability and impact score of CVSS 2.0 (guide, section 3.2.1)."""
    loss = {"N": 0.0, "P": 0.275, "C": 0.66}
    impact = 10.41 * (1 - (1 - loss[chosen["C"]]) * (1 - loss[chosen["I"]]) * (1 - loss[chosen["A"]]))
    vector, complexity = {"L": 0.395, "A": 0.646, "N": 1.0}, {"H": 0.35, "M": 0.61, "L": 0.71}
    ease = 20 * vector[chosen["AV"]] * complexity[chosen["AC"]] * {"M": 0.45, "S": 0.56, "N": 0.704}[chosen["Au"]]
    score = (0.6 * impact + 0.4 * ease - 1.5) * (1.176 if impact else 0.0)
    return round(score, 1), round(ease, 1), round(impact, 1)


def severity(score: float) -> str:
    """Qualitative rating of CVSS 3 (specification, section 5)."""
    bounds = ((0.1, "NONE"), (4.0, "LOW"), (7.0, "MEDIUM"), (9.0, "HIGH"))
    return next((word for bound, word in bounds if score < bound), "CRITICAL")


def downgraded(vector: str) -> str:
    """The vector of CVSS 2 that an analyst would give beside one of CVSS 3."""
    chosen = dict(part.split(":") for part in vector.split("/"))
    access = {"N": "N", "A": "A", "L": "L", "P": "L"}[chosen["AV"]]
    effort = "M" if chosen["UI"] == "R" or chosen["AC"] == "H" else "L"
    loss = {"N": "N", "L": "P", "H": "P"}
    login = "N" if chosen["PR"] == "N" else "S"
    return f"AV:{access}/AC:{effort}/Au:{login}/C:{loss[chosen['C']]}/I:{loss[chosen['I']]}/A:{loss[chosen['A']]}"
