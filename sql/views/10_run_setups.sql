-- Runs that differ in the inference seed or in the number of the trial only are repeats of one setup.
CREATE OR REPLACE VIEW run_setups AS
SELECT
    run_id,
    build_id,
    dataset,
    agent,
    method,
    model,
    left(
        md5(
            concat_ws(
                '|', model, prompts_sha256, tokenizer_sha256, coalesce(template_sha256, ''), base_budget,
                json_merge_patch(decoding, '{"seed": null, "trial": null}')
            )
        ),
        8
    ) AS setup,
    sample
FROM runs;

COMMENT ON VIEW run_setups IS 'What runs have in common: runs of one build, agent and setup differ in the observation method only';
COMMENT ON COLUMN run_setups.run_id IS 'The run';
COMMENT ON COLUMN run_setups.build_id IS 'Dataset version that it reads';
COMMENT ON COLUMN run_setups.dataset IS 'Dataset: json, html, yaml or javascript';
COMMENT ON COLUMN run_setups.agent IS 'Memory agent';
COMMENT ON COLUMN run_setups.method IS 'Observation method: flat, tree, tree_path or treeagent';
COMMENT ON COLUMN run_setups.model IS 'Model specification';
COMMENT ON COLUMN run_setups.setup IS 'Short hash of model, prompts, tokenizer, chat template, base budget and decoding without its seed';
COMMENT ON COLUMN run_setups.sample IS 'True for built-in sample data, which supports no claims';
