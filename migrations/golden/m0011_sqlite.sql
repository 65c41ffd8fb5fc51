-- m0011_commit_partitions
-- outbox_commit Once
ALTER TABLE "outbox_commit" ADD COLUMN "part" smallint NULL;
-- outbox_commit Once
ALTER TABLE "outbox_commit" ADD COLUMN "epoch" integer NULL;
-- outbox_revision Once
ALTER TABLE "outbox_revision" ADD COLUMN "part" smallint NULL;
