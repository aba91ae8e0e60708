CREATE OR REPLACE VIEW budget_matches AS
SELECT
    budgets.example_id,
    examples.dataset,
    examples.task,
    examples.length,
    budgets.tokenizer,
    budgets.base_budget,
    budgets.budget,
    budgets.tokens,
    budgets.flat_sections,
    budgets.sections,
    budgets.sections - budgets.flat_sections AS surplus,
    budgets.sections = budgets.flat_sections AS equal,
    json_array_length(budgets.tried) AS tried,
    examples.sample
FROM budgets
JOIN examples USING (example_id)
WHERE budgets.method = 'tree';

COMMENT ON VIEW budget_matches IS 'How close the section count of the budget search comes to that of Flat (sections 3.1 and 4.5 of the TreeAgent paper)';
COMMENT ON COLUMN budget_matches.example_id IS 'The example';
COMMENT ON COLUMN budget_matches.dataset IS 'Dataset: json, html, yaml or javascript';
COMMENT ON COLUMN budget_matches.task IS 'One of the eight tasks';
COMMENT ON COLUMN budget_matches.length IS 'Wanted length of the context in tokens';
COMMENT ON COLUMN budget_matches.tokenizer IS 'Tokenizer of the agent';
COMMENT ON COLUMN budget_matches.base_budget IS 'C, the token budget of Flat';
COMMENT ON COLUMN budget_matches.budget IS 'B*, the budget chosen';
COMMENT ON COLUMN budget_matches.tokens IS 'Tokens of the whole context';
COMMENT ON COLUMN budget_matches.flat_sections IS 'N, sections of Flat';
COMMENT ON COLUMN budget_matches.sections IS 'n, sections at the chosen budget';
COMMENT ON COLUMN budget_matches.surplus IS 'n - N';
COMMENT ON COLUMN budget_matches.equal IS 'True where the counts are equal';
COMMENT ON COLUMN budget_matches.tried IS 'Candidate budgets tried';
COMMENT ON COLUMN budget_matches.sample IS 'True for built-in sample data, which supports no claims';
