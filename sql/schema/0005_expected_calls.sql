-- How much work a run was planned with, and what its positions count now that agents read the sections more than once.

ALTER TABLE run_examples ADD COLUMN calls INTEGER;
COMMENT ON COLUMN run_examples.calls IS 'Model calls that the example is expected to take; null for sections + 1';

COMMENT ON COLUMN model_calls.role IS 'What the call is for: memory, answer, controller, integrate, or the thinking before one of them';
COMMENT ON COLUMN model_calls.position IS 'Step of reading that it belongs to, from 1; the last + 1 for the final answer. A reread goes on counting';
COMMENT ON COLUMN memories.position IS 'Step of reading after which it was saved, from 1: sections of earlier readings count before it';
