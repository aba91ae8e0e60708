"""Invented dataset versions and runs of memory agents, row by row."""

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from typing import Any

import duckdb

from tasks.home import PROJECT

START = datetime(2026, 3, 1, 12, 0, 0)


class InventedRuns:
    """An in-memory database with the schema and views of the checkout, and ways to add rows to it."""

    def __init__(self, con: duckdb.DuckDBPyConnection):
        self.con = con
        for folder in ("schema", "views"):
            for file in sorted((PROJECT / "sql" / folder).glob("*.sql")):
                con.execute(file.read_text(encoding="utf-8"))
        self.calls = 0

    def insert(self, table: str, **row: Any) -> None:
        """One row, by column."""
        names = ", ".join(row)
        marks = ", ".join(f"${name}" for name in row)
        self.con.execute(f"INSERT INTO {table} ({names}) VALUES ({marks})", row)

    def build(
        self,
        build_id: str,
        dataset: str = "json",
        tasks: Sequence[str] = ("fields_1", "count"),
        lengths: Sequence[int] = (8192,),
        examples: int = 2,
        sample: bool = True,
        created_at: datetime = START,
    ) -> list[str]:
        """A dataset version with one payload and so many examples a cell; returns their ids, in order."""
        self.insert(
            "builds",
            build_id=build_id,
            dataset=dataset,
            parameters='{"tasks": ["fields_1", "count"], "transport": "sample", "seed": 42}',
            payloads_sha256="p" * 64,
            payloads=1,
            construction_tokenizer="qwen",
            sample=sample,
            created_at=created_at,
        )
        source = f"usgs-{dataset}" + ("-sample" if sample else "")
        if not self.con.execute("SELECT 1 FROM sources WHERE source = $1", [source]).fetchone():
            self.insert(
                "sources",
                source=source,
                dataset=dataset,
                title="USGS earthquakes",
                home_url="https://earthquake.usgs.gov/fdsnws/event/1/",
                terms_url="https://www.usgs.gov/information-policies-and-instructions",
                licence="public domain",
                notice="Data courtesy of the U.S. Geological Survey.",
                version="1",
                sample=sample,
            )
            self.insert(
                "responses",
                response_id=f"response-{dataset}",
                source=source,
                url="https://earthquake.usgs.gov/fdsnws/event/1/query",
                sha256="r" * 64,
                bytes=12_345,
                transport="sample" if sample else "live",
                retrieved_at=None if sample else START,
                sample=sample,
            )
            self.insert(
                "payloads",
                payload_id=f"payload-{dataset}",
                source=source,
                dataset=dataset,
                format=dataset,
                response_id=f"response-{dataset}",
                records=7,
                characters=20,
                sample=sample,
                text='{"features": []}',
            )
        ids = []
        for task in tasks:
            for length in lengths:
                for number in range(examples):
                    ids.append(self.example(build_id, dataset, task, length, number, sample))
        return ids

    def example(self, build_id: str, dataset: str, task: str, length: int, number: int, sample: bool = True) -> str:
        """One example of a build."""
        example_id = f"{build_id}/{task}/{length}/{number}"
        self.insert(
            "questions",
            question_id=example_id,
            dataset=dataset,
            task=task,
            kind="earthquake",
            text=f"What is the magnitude of M {number} | near <Anza> & Ocotillo?",
            reference="{}",
            answer='["4.2"]',
            answer_type="number",
            ordered=False,
            template="t",
            sample=sample,
        )
        self.insert(
            "examples",
            example_id=example_id,
            dataset=dataset,
            task=task,
            length=length,
            split="test",
            number=number,
            question_id=example_id,
            context_sha256=f"context {number}",
            characters=20,
            supporting="[0]",
            sample=sample,
        )
        self.insert("build_examples", build_id=build_id, example_id=example_id)
        self.insert("example_payloads", example_id=example_id, position=0, payload_id=f"payload-{dataset}")
        return example_id

    def run(
        self,
        run_id: str,
        build_id: str,
        planned: Iterable[str],
        scores: Iterable[float | str | None] = (),
        agent: str = "memagent",
        method: str = "flat",
        model: str = "embedded",
        dataset: str = "json",
        sample: bool = True,
        calls: int = 3,
        prompt_tokens: int = 100,
        **other: Any,
    ) -> str:
        """A run that planned examples and ended so: a score, an outcome other than stop, or None for no prediction.

        Examples beyond `scores` have no prediction. Each predicted example has `calls` calls of `prompt_tokens` tokens.
        """
        defaults = {
            "endpoint": "http://127.0.0.1:8080/v1",
            "server": '{"software": "llama.cpp", "model": "smollm2-360m"}',
            "prompts": "default",
            "prompts_sha256": "c0ffee" + "0" * 58,
            "tokenizer": "smollm2",
            "tokenizer_sha256": "beef" + "0" * 60,
            "base_budget": 512,
            "decoding": '{"temperature": 0, "seed": 42}',
            "code_version": "0.1.0",
            "recorded_at": START,
        }
        self.insert(
            "runs",
            run_id=run_id,
            build_id=build_id,
            dataset=dataset,
            agent=agent,
            method=method,
            model=model,
            sample=sample,
            **{**defaults, **other},
        )
        planned = list(planned)
        for example_id in planned:
            self.insert("run_examples", run_id=run_id, example_id=example_id)
        for example_id, ended in zip(planned, scores, strict=False):
            if ended is not None:
                self._predict(run_id, example_id, ended, calls, prompt_tokens)
        return run_id

    def _predict(self, run_id: str, example_id: str, ended: float | str, calls: int, prompt_tokens: int) -> None:
        outcome = ended if isinstance(ended, str) else "stop"
        self.insert(
            "predictions",
            run_id=run_id,
            example_id=example_id,
            outcome=outcome,
            raw_answer="It is <b>4.2</b>" if outcome == "stop" else None,
            model_calls=calls,
            recorded_at=START,
        )
        if not isinstance(ended, str):
            self.insert(
                "scores",
                run_id=run_id,
                example_id=example_id,
                scorer="answers",
                scorer_version="1",
                extracted='["4.2"]',
                score=ended,
                recorded_at=START,
            )
        for position in range(1, calls + 1):
            self.call(run_id, example_id, position, prompt_tokens)

    def call(
        self, run_id: str, example_id: str, position: int, tokens: int, attempt: int = 1, outcome: str = "stop"
    ) -> None:
        """One model call of 10 generated tokens, half of its prompt cached, that took two seconds."""
        self.calls += 1
        answered = outcome == "stop"
        self.insert(
            "model_calls",
            call_id=f"call {self.calls}",
            request_id=f"{run_id} {example_id} {position}",
            run_id=run_id,
            example_id=example_id,
            role="memory",
            position=position,
            attempt=attempt,
            prompt_sha256="0" * 64,
            prompt_tokens=tokens,
            server_prompt_tokens=tokens if answered else None,
            completion_tokens=10 if answered else None,
            cached_tokens=tokens // 2 if answered else None,
            latency_s=2.0,
            outcome=outcome,
            started_at=START + timedelta(seconds=self.calls),
        )

    def budget(self, example_id: str, flat_sections: int, sections: int, budget: int = 600) -> None:
        """The result of a budget search."""
        self.insert(
            "budgets",
            example_id=example_id,
            tokenizer="smollm2",
            method="tree",
            base_budget=512,
            budget=budget,
            tokens=flat_sections * 512,
            flat_sections=flat_sections,
            sections=sections,
            tried=f"[[512, 9], [{budget}, {sections}]]",
        )
