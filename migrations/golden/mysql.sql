-- m0001_schema
-- riposte_schema Once
CREATE TABLE IF NOT EXISTS `riposte_schema` ( `step` varbinary(64) NOT NULL, `subject_tables` smallint NOT NULL, `index_tables` smallint NOT NULL, `source` smallint NOT NULL, `sources` smallint NOT NULL, `first_table` smallint NOT NULL, `last_table` smallint NOT NULL, `applied_at` bigint NOT NULL, PRIMARY KEY (`step`) ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
-- m0002_worker_leases
-- worker_lease Once
CREATE TABLE IF NOT EXISTS `worker_lease` ( `worker` smallint NOT NULL, `owner` varbinary(16) NOT NULL, `minted_until` bigint NOT NULL, `leased_until` bigint NOT NULL, PRIMARY KEY (`worker`) ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
INSERT INTO `worker_lease` (`worker`, `owner`, `minted_until`, `leased_until`) VALUES (0, x'', 0, 0), (1, x'', 0, 0), (2, x'', 0, 0), (3, x'', 0, 0), (4, x'', 0, 0), (5, x'', 0, 0), (6, x'', 0, 0), (7, x'', 0, 0), (8, x'', 0, 0), (9, x'', 0, 0), (10, x'', 0, 0), (11, x'', 0, 0), (12, x'', 0, 0), (13, x'', 0, 0), (14, x'', 0, 0), (15, x'', 0, 0), (16, x'', 0, 0), (17, x'', 0, 0), (18, x'', 0, 0), (19, x'', 0, 0), (20, x'', 0, 0), (21, x'', 0, 0), (22, x'', 0, 0), (23, x'', 0, 0), (24, x'', 0, 0), (25, x'', 0, 0), (26, x'', 0, 0), (27, x'', 0, 0), (28, x'', 0, 0), (29, x'', 0, 0), (30, x'', 0, 0), (31, x'', 0, 0), (32, x'', 0, 0), (33, x'', 0, 0), (34, x'', 0, 0), (35, x'', 0, 0), (36, x'', 0, 0), (37, x'', 0, 0), (38, x'', 0, 0), (39, x'', 0, 0), (40, x'', 0, 0), (41, x'', 0, 0), (42, x'', 0, 0), (43, x'', 0, 0), (44, x'', 0, 0), (45, x'', 0, 0), (46, x'', 0, 0), (47, x'', 0, 0), (48, x'', 0, 0), (49, x'', 0, 0), (50, x'', 0, 0), (51, x'', 0, 0), (52, x'', 0, 0), (53, x'', 0, 0), (54, x'', 0, 0), (55, x'', 0, 0), (56, x'', 0, 0), (57, x'', 0, 0), (58, x'', 0, 0), (59, x'', 0, 0), (60, x'', 0, 0), (61, x'', 0, 0), (62, x'', 0, 0), (63, x'', 0, 0) ON DUPLICATE KEY UPDATE `owner` = `owner`;
-- m0003_subjects
-- comment_subject_@ Subjects
CREATE TABLE IF NOT EXISTS `comment_subject_@` ( `id` bigint NOT NULL, `part` smallint NOT NULL, `object_type` varbinary(32) NOT NULL, `object_id` varbinary(64) NOT NULL, `owner_id` varbinary(64) NULL, `state` tinyint NOT NULL, `next_floor` int NOT NULL, `root_count` int NOT NULL, `comment_count` int NOT NULL, `revision` bigint NOT NULL, `version` bigint NOT NULL, `pins` varbinary(24) NOT NULL, `metadata` text NOT NULL, `create_time` bigint NOT NULL, `update_time` bigint NOT NULL, `delete_time` bigint NULL, PRIMARY KEY (`id`), UNIQUE KEY `comment_subject_@_key` (`object_type`, `object_id`) ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
-- m0004_comments
-- comment_index_@ Index
CREATE TABLE IF NOT EXISTS `comment_index_@` ( `id` bigint NOT NULL, `part` smallint NOT NULL, `subject_id` bigint NOT NULL, `root_id` bigint NOT NULL, `parent_id` bigint NOT NULL, `depth` tinyint NOT NULL, `path` varbinary(256) NOT NULL, `floor` int NOT NULL, `next_floor` int NOT NULL, `member_id` varbinary(64) NOT NULL, `state` tinyint NOT NULL, `prior_state` tinyint NOT NULL, `deleted_by` tinyint NOT NULL, `like_count` int NOT NULL, `dislike_count` int NOT NULL, `reply_count` int NOT NULL, `live_below` int NOT NULL, `listed` tinyint NOT NULL, `revision` bigint NOT NULL, `version` bigint NOT NULL, `born_revision` bigint NOT NULL, `request_key` binary(16) NOT NULL, `request_print` bigint NOT NULL, `create_time` bigint NOT NULL, `update_time` bigint NOT NULL, `edit_time` bigint NULL, `delete_time` bigint NULL, PRIMARY KEY (`id`), UNIQUE KEY `comment_index_@_floor` (`subject_id`, `root_id`, `floor`), KEY `comment_index_@_listed` (`subject_id`, `root_id`, `listed`, `floor`), UNIQUE KEY `comment_index_@_path` (`path`), UNIQUE KEY `comment_index_@_request` (`subject_id`, `request_key`) ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
-- comment_content_@ Index
CREATE TABLE IF NOT EXISTS `comment_content_@` ( `comment_id` bigint NOT NULL, `part` smallint NOT NULL, `text` mediumtext NOT NULL, `mentions` text NOT NULL, `metadata` text NOT NULL, PRIMARY KEY (`comment_id`) ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
-- comment_edit_@ Index
CREATE TABLE IF NOT EXISTS `comment_edit_@` ( `comment_id` bigint NOT NULL, `version` bigint NOT NULL, `part` smallint NOT NULL, `text` mediumtext NOT NULL, `mentions` text NOT NULL, `metadata` text NOT NULL, `time` bigint NOT NULL, PRIMARY KEY (`comment_id`, `version`) ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
-- comment_client_@ Index
CREATE TABLE IF NOT EXISTS `comment_client_@` ( `comment_id` bigint NOT NULL, `part` smallint NOT NULL, `ip` varbinary(16) NULL, `platform` varbinary(32) NOT NULL, `device` varbinary(128) NOT NULL, `create_time` bigint NOT NULL, PRIMARY KEY (`comment_id`), KEY `comment_client_@_age` (`create_time`) ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
-- comment_origin_@ Index
CREATE TABLE IF NOT EXISTS `comment_origin_@` ( `comment_id` bigint NOT NULL, `part` smallint NOT NULL, `source` varbinary(64) NOT NULL, `external_id` varbinary(128) NOT NULL, PRIMARY KEY (`comment_id`) ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
-- m0005_likes
-- comment_like_@ Index
CREATE TABLE IF NOT EXISTS `comment_like_@` ( `subject_id` bigint NOT NULL, `member_id` varbinary(64) NOT NULL, `comment_id` bigint NOT NULL, `part` smallint NOT NULL, `value` tinyint NOT NULL, `operation` binary(16) NOT NULL, `changed` tinyint NOT NULL, `time` bigint NOT NULL, PRIMARY KEY (`subject_id`, `member_id`, `comment_id`), KEY `comment_like_@_likers` (`comment_id`, `value`, `time`, `member_id`) ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
-- m0006_requests
-- comment_request_@ Index
CREATE TABLE IF NOT EXISTS `comment_request_@` ( `subject_id` bigint NOT NULL, `request_key` binary(16) NOT NULL, `part` smallint NOT NULL, `verb` tinyint NOT NULL, `print` bigint NOT NULL, `comment_id` bigint NOT NULL, `revision` bigint NOT NULL, PRIMARY KEY (`subject_id`, `request_key`) ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
-- m0007_projections
-- comment_rank_@ Index
CREATE TABLE IF NOT EXISTS `comment_rank_@` ( `subject_id` bigint NOT NULL, `sort` tinyint NOT NULL, `score` double NOT NULL, `floor` int NOT NULL, `part` smallint NOT NULL, `comment_id` bigint NOT NULL, PRIMARY KEY (`subject_id`, `sort`, `score`, `floor`), KEY `comment_rank_@_comment` (`comment_id`, `sort`) ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
-- comment_epoch_@ Index
CREATE TABLE IF NOT EXISTS `comment_epoch_@` ( `subject_id` bigint NOT NULL, `sort` tinyint NOT NULL, `epoch` bigint NOT NULL, `part` smallint NOT NULL, `floors` mediumblob NOT NULL, `create_time` bigint NOT NULL, PRIMARY KEY (`subject_id`, `sort`, `epoch`), KEY `comment_epoch_@_age` (`create_time`) ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
-- comment_outbox Once
CREATE TABLE IF NOT EXISTS `comment_outbox` ( `id` bigint NOT NULL, `part` smallint NOT NULL, `subject_id` bigint NOT NULL, `revision` bigint NOT NULL, `changes` mediumblob NOT NULL, `pub_seq` bigint NULL, `create_time` bigint NOT NULL, PRIMARY KEY (`id`), UNIQUE KEY `comment_outbox_published` (`pub_seq`), KEY `comment_outbox_subject` (`subject_id`, `revision`) ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
-- relay_state Once
CREATE TABLE IF NOT EXISTS `relay_state` ( `name` varbinary(64) NOT NULL, `owner` varbinary(16) NOT NULL, `epoch` bigint NOT NULL, `position` bigint NOT NULL, `leased_until` bigint NOT NULL, PRIMARY KEY (`name`) ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
-- member_comment_@ Index
CREATE TABLE IF NOT EXISTS `member_comment_@` ( `object_type` varbinary(32) NOT NULL, `member_id` varbinary(64) NOT NULL, `create_time` bigint NOT NULL, `comment_id` bigint NOT NULL, `part` smallint NOT NULL, `subject_id` bigint NOT NULL, `state` tinyint NOT NULL, `version` bigint NOT NULL, PRIMARY KEY (`object_type`, `member_id`, `create_time`, `comment_id`) ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
-- m0008_ranked_lists
-- comment_ranked_@ Index
CREATE TABLE IF NOT EXISTS `comment_ranked_@` ( `list_id` bigint NOT NULL, `part` smallint NOT NULL, `changes` bigint NOT NULL, PRIMARY KEY (`list_id`) ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
-- m0009_commits
-- outbox_commit Once
CREATE TABLE IF NOT EXISTS `outbox_commit` ( `id` bigint NOT NULL, `events` mediumblob NOT NULL, `pub_seq` bigint NULL, `create_time` bigint NOT NULL, PRIMARY KEY (`id`), UNIQUE KEY `outbox_commit_published` (`pub_seq`) ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
-- outbox_revision Once
CREATE TABLE IF NOT EXISTS `outbox_revision` ( `commit_id` bigint NOT NULL, `subject_id` bigint NOT NULL, `revision` bigint NOT NULL, PRIMARY KEY (`commit_id`, `subject_id`), UNIQUE KEY `outbox_revision_subject` (`subject_id`, `revision`) ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
-- drops comment_outbox
