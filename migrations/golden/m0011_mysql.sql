-- m0011_commit_partitions
-- outbox_commit Once
ALTER TABLE `outbox_commit` ADD COLUMN `part` smallint NULL, ALGORITHM=INSTANT;
-- outbox_commit Once
ALTER TABLE `outbox_commit` ADD COLUMN `epoch` bigint NULL, ALGORITHM=INSTANT;
-- outbox_revision Once
ALTER TABLE `outbox_revision` ADD COLUMN `part` smallint NULL, ALGORITHM=INSTANT;
