-- m0014_reports_and_appeals
-- comment_report Once
ALTER TABLE `comment_report` ADD COLUMN `decisions` int NULL, ALGORITHM=INSTANT;
-- comment_report Once
ALTER TABLE `comment_report` ADD COLUMN `settled` tinyint NULL, ALGORITHM=INSTANT;
-- comment_review Once
ALTER TABLE `comment_review` ADD COLUMN `restriction` int NULL, ALGORITHM=INSTANT;
-- comment_report Once
CREATE INDEX `comment_report_comment` ON `comment_report` (`comment_id`, `time`, `member_id`) ALGORITHM=INPLACE LOCK=NONE;
