"""Tokenizers whose counts can be seen without encoding anything."""

import re


class Characters:
    """One token a character, so that slices add up as the paper's proofs assume."""

    name, sha256 = "characters", ""

    def encode(self, text: str) -> list[int]:
        return [ord(character) for character in text]

    encode_prompt = encode

    def count(self, text: str) -> int:
        return len(text)

    def ends(self, text: str) -> list[int]:
        return list(range(1, len(text) + 1))


class Pieces(Characters):
    """Words of up to six letters, runs of blanks and the bytes of all else: counts that do not add up."""

    name = "pieces"
    _piece = re.compile(r"[A-Za-z]{1,6}|\s+|.", re.DOTALL)

    def count(self, text: str) -> int:
        return sum(
            1 if piece[0].isascii() else len(piece[0].encode("utf-8", "surrogatepass"))
            for piece in self._piece.finditer(text)
        )
