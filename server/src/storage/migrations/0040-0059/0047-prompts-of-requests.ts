// Adds the prompt of a request to the rows of the request log, and the sums of prompts. Applied migrations never
// change: add another.
import type { Migration } from '../../migrate.ts'

export const promptsOfRequests: Migration = {
  name: '0047-prompts-of-requests',
  statements: [],
  ofRequestLog: [
    'alter table if exists requests add column if not exists prompt TEXT, add column if not exists prompt_version INT64',
    `do $$ begin if to_regclass('requests') is not null then
      create table if not exists request_prompt_sums (
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
        latency_range INT64 not null,
        requests INT64 not null,
        prompt_tokens INT64 not null,
        cached_tokens INT64 not null,
        completion_tokens INT64 not null,
        reasoning_tokens INT64 not null,
        cost_nanousd INT64 not null,
        primary key (project_id, id, prompt, tier, endpoint, model_asked, model, provider, error_code, status,
          latency_range)
      ) partition by range (id);
    end if; end $$`,
  ],
}
