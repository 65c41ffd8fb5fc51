-- m0016_standings_by_type
-- member_standing Once
CREATE INDEX `member_standing_of_type` ON `member_standing` (`object_type`, `changed`, `member_id`) ALGORITHM=INPLACE LOCK=NONE;
