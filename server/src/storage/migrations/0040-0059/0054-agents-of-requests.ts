// Adds the session of a coding agent, and the agent, to the rows of the request log. Applied migrations never change:
// add another.
import type { Migration } from '../../migrate.ts'

export const agentsOfRequests: Migration = {
  name: '0054-agents-of-requests',
  statements: [],
  ofRequestLog: [
    'alter table if exists requests add column if not exists agent_session_id TEXT, add column if not exists agent_id TEXT',
    `do $$ begin if to_regclass('requests') is not null then
      create index if not exists requests_by_agent_session on requests (project_id, agent_session_id, id)
        where agent_session_id is not null;
    end if; end $$`,
  ],
}
