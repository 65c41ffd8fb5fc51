-- m0014_reports_and_appeals
-- comment_report Once
ALTER TABLE "comment_report" ADD COLUMN "decisions" integer NULL;
-- comment_report Once
ALTER TABLE "comment_report" ADD COLUMN "settled" tinyint NULL;
-- comment_review Once
ALTER TABLE "comment_review" ADD COLUMN "restriction" integer NULL;
-- comment_report Once
CREATE INDEX "comment_report_comment" ON "comment_report" ("comment_id", "time", "member_id");
