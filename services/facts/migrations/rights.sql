-- What each group may do with facts. Run at every start: a group may be younger than the tables.

GRANT USAGE ON SCHEMA facts TO ragspine_facts_read, ragspine_facts_load;
GRANT SELECT ON facts.fact, facts.visible_fact, facts.fact_history TO ragspine_facts_read;
-- No DELETE on facts and history: a withdrawal hides, a replacement keeps, nothing is erased.
GRANT SELECT, INSERT, UPDATE, MAINTAIN ON facts.fact TO ragspine_facts_load;
GRANT SELECT ON facts.visible_fact TO ragspine_facts_load;
GRANT SELECT, INSERT ON facts.fact_history TO ragspine_facts_load;
GRANT SELECT, INSERT, UPDATE, DELETE ON facts.outbox TO ragspine_facts_load;
