-- How numbers are averaged, bounded and printed: the same few macros in every view and report.

CREATE OR REPLACE MACRO percent(fraction) AS round_even(round(fraction * 1e10) / 1e6, 0) / 100;
COMMENT ON MACRO percent IS 'A fraction as per cent with two digits; a decimal half goes to the even digit';

CREATE OR REPLACE MACRO weighted_mean(x, weight) AS sum(x * weight) / nullif(sum(weight), 0);
COMMENT ON MACRO weighted_mean IS 'Mean of x under weights; null where there is nothing to average';

-- The variance of a weighted mean by the normal approximation: sum(w^2 (x - mean)^2) / sum(w)^2, times n / (n - 1). With
-- equal weights this is the sample variance divided by n. Rounding leaves a residue of about 1e-16 where all x are equal.
CREATE OR REPLACE MACRO mean_variance(x, weight) AS
    (
        sum(weight * weight * x * x)
        - 2 * (sum(x * weight) / nullif(sum(weight), 0)) * sum(weight * weight * x)
        + (sum(x * weight) / nullif(sum(weight), 0)) ** 2 * sum(weight * weight)
    ) / nullif(sum(weight), 0) ** 2 * count(x) / nullif(count(x) - 1, 0);
COMMENT ON MACRO mean_variance IS 'Variance of a weighted mean; null for fewer than two values';

CREATE OR REPLACE MACRO half_width(x, weight) AS
    CASE WHEN mean_variance(x, weight) > 1e-14 THEN 1.959963984540054 * sqrt(mean_variance(x, weight)) END;
COMMENT ON MACRO half_width IS 'Half the normal 95 % interval of a weighted mean; null for fewer than two values, or where all are equal';

CREATE OR REPLACE MACRO within(x, low, high) AS CASE WHEN x IS NOT NULL THEN least(high, greatest(low, x)) END;
COMMENT ON MACRO within IS 'The value x, or the bound that it lies beyond; null stays null, unlike with least and greatest alone';

CREATE OR REPLACE MACRO provenance(sample) AS CASE WHEN sample THEN 'sample' WHEN NOT sample THEN 'real' END;
COMMENT ON MACRO provenance IS 'sample for built-in sample data, which supports no claims; real otherwise';

CREATE OR REPLACE MACRO dataset_order(dataset) AS
    coalesce(list_position(['json', 'html', 'yaml', 'javascript', 'gaia', 'browsecomp_plus'], dataset), 99);
COMMENT ON MACRO dataset_order IS 'Place of a dataset or benchmark in the order of the papers';

CREATE OR REPLACE MACRO agent_order(agent) AS
    coalesce(
        list_position(
            [
                'memagent', 'infmem', 'memreread', 'rememr1', 'base', 'react', 'summary', 'resum', 'amem', 'thread', 'hymem'
            ],
            agent
        ),
        99
    );
COMMENT ON MACRO agent_order IS 'Place of an agent or framework in the order of the papers';

CREATE OR REPLACE MACRO method_order(method) AS
    coalesce(
        list_position(
            ['flat', 'tree', 'tree_path', 'treeagent', 'full', 'without_isolated_reasoning', 'without_memory'], method
        ),
        99
    );
COMMENT ON MACRO method_order IS 'Place of an observation method, or of a variant of HyMem, in the order of the papers';

CREATE OR REPLACE MACRO task_order(task) AS
    coalesce(
        list_position(
            ['fields_1', 'fields_2', 'fields_4', 'records_2', 'records_4', 'count', 'frequent', 'extremum'], task
        ),
        99
    );
COMMENT ON MACRO task_order IS 'Place of a task in the order of the paper';
