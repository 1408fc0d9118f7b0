-- What each group may do with vetted answers and the ledger of asks. Run at every start: a group may be younger than the
-- tables.

GRANT USAGE ON SCHEMA faq TO ragspine_faq;
GRANT SELECT, UPDATE ON faq.clock TO ragspine_faq;
GRANT SELECT, INSERT, UPDATE, DELETE ON faq.item, faq.surface TO ragspine_faq;
GRANT SELECT, INSERT ON faq.audit TO ragspine_faq; -- no UPDATE, no DELETE: nobody rewrites what was done

GRANT USAGE ON SCHEMA asks TO ragspine_asks;
GRANT SELECT, INSERT, UPDATE, DELETE ON asks.ask TO ragspine_asks;
GRANT SELECT, INSERT ON asks.dead_letter TO ragspine_asks; -- they go with their ask, and never change
