// Adds the range of the first token to the rows of the request log, and the sums by it. Applied migrations never
// change: add another.
import type { Migration } from '../../migrate.ts'

export const firstTokensOfRequests: Migration = {
  name: '0049-first-tokens-of-requests',
  statements: [],
  ofRequestLog: [
    'alter table if exists requests add column if not exists first_token_range INT64',
    `do $$ begin if to_regclass('requests') is not null then
      create table if not exists request_first_token_sums (
        project_id TEXT not null,
        id TEXT not null,
        prompt TEXT not null,
        tier TEXT not null,
        endpoint TEXT not null,
        model_asked TEXT not null,
        model TEXT not null,
        provider TEXT not null,
        error_code TEXT not null,
        at INT64 not null,
        status INT64 not null,
        first_token_range INT64 not null,
        requests INT64 not null,
        primary key (project_id, id, prompt, tier, endpoint, model_asked, model, provider, error_code, status,
          first_token_range)
      ) partition by range (id);
    end if; end $$`,
  ],
}
