// Adds the sums of hours that have their ranges of time as texts. A job moves those of an earlier version into them:
// its replicas may still write. Applied migrations never change: add another.
import type { Migration } from '../../migrate.ts'

export const hoursOfRequests: Migration = {
  name: '0056-hours-of-requests',
  statements: [],
  ofRequestLog: [
    `do $$ begin if to_regclass('requests') is not null then
      create table if not exists request_hours (
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
        requests INT64 not null,
        prompt_tokens INT64 not null,
        cached_tokens INT64 not null,
        completion_tokens INT64 not null,
        reasoning_tokens INT64 not null,
        cost_nanousd INT64 not null,
        latencies TEXT,
        first_tokens TEXT,
        primary key (project_id, id, prompt, tier, endpoint, model_asked, model, provider, error_code, status)
      ) partition by range (id);
    end if; end $$`,
  ],
}
