-- m0013_proposals_and_reports
-- comment_withheld Once
CREATE TABLE IF NOT EXISTS `comment_withheld` ( `comment_id` bigint NOT NULL, `kind` tinyint NOT NULL, `number` bigint NOT NULL, `part` smallint NOT NULL, `text` mediumtext NOT NULL, `mentions` text NOT NULL, `metadata` text NOT NULL, `extra` varbinary(2048) NULL, `once_public` tinyint NOT NULL, `state` tinyint NOT NULL, `key_id` int NOT NULL, `time` bigint NOT NULL, PRIMARY KEY (`comment_id`, `kind`, `number`) ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
-- comment_report Once
CREATE TABLE IF NOT EXISTS `comment_report` ( `comment_id` bigint NOT NULL, `member_id` varbinary(64) NOT NULL, `part` smallint NOT NULL, `object_type` varbinary(32) NOT NULL, `reason` tinyint NOT NULL, `text` text NOT NULL, `claims_illegal` tinyint NOT NULL, `legal_reference` varbinary(256) NOT NULL, `version` bigint NOT NULL, `weight` int NOT NULL, `counted` tinyint NOT NULL, `request_key` binary(16) NOT NULL, `request_print` bigint NOT NULL, `first` bigint NOT NULL, `key_id` int NOT NULL, `time` bigint NOT NULL, PRIMARY KEY (`comment_id`, `member_id`), KEY `comment_report_member` (`object_type`, `member_id`, `time`, `comment_id`) ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
-- process Once
CREATE TABLE IF NOT EXISTS `process` ( `owner` varbinary(16) NOT NULL, `step` int NOT NULL, `until` bigint NOT NULL, PRIMARY KEY (`owner`) ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
-- switch Once
CREATE TABLE IF NOT EXISTS `switch` ( `name` varbinary(32) NOT NULL, `value` bigint NOT NULL, `changed` bigint NOT NULL, PRIMARY KEY (`name`) ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
