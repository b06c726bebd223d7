-- All checks of one request, then all its charges or none. Twin of `admit` in process-admissions.ts.
local epoch, kill_switches, config, project_window, user_window, days, reservations = unpack(KEYS)
local now = read_clock(ARGV[1])
local request_id, tenant_id, project_id, user_id = ARGV[2], ARGV[3], ARGV[4], ARGV[5]
local config_revision, project_requests = tonumber(ARGV[6]), tonumber(ARGV[7])
local user_requests = tonumber(ARGV[8])
local prompt, completion = tonumber(ARGV[9]), tonumber(ARGV[10])
local project_per_day, user_per_day = tonumber(ARGV[11]), tonumber(ARGV[12])

-- One call for all that are strings, though a bar leaves the windows unread.
local found = user_requests and redis.call('MGET', epoch, project_window, user_window)
  or redis.call('MGET', epoch, project_window)

local function find_bar()
  local standing = redis.call('HMGET', config, 'revision', 'status')
  local switches = redis.call('HMGET', kill_switches, 'revision', 'global', 't:' .. tenant_id, 'p:' .. project_id)
  if not (standing[1] and switches[1]) or not found[1] then return 'unseeded' end
  if tonumber(standing[1]) > config_revision then return 'stale_config' end
  if switches[2] or switches[3] or switches[4] then return 'killed' end
  if standing[2] == 'suspended' then return 'suspended' end
  return nil
end

local bar = find_bar()
if bar then return { bar, now } end

local project_count, project_ends_at = unpack_window(found[2], now)
local user_count, user_ends_at = unpack_window(found[3], now)
local day = math.floor(now / DAY_MS)
local day_key = days .. plain(day)
local counts = { spent = 0, reserved = 0, user_spent = 0, user_reserved = 0 }
if prompt then counts = read_day(day_key, user_id) end

local function find_shortage()
  if project_count >= project_requests then return 'project_requests' end
  if user_requests and user_count >= user_requests then return 'user_requests' end
  if not prompt then return nil end
  local left = project_per_day - counts.spent
  local remaining = left - counts.reserved
  if user_per_day then
    left = math.min(left, user_per_day - counts.user_spent)
    remaining = math.min(remaining, user_per_day - counts.user_spent - counts.user_reserved)
  end
  if left <= 0 or prompt > left then return 'tokens_spent' end
  if remaining <= 0 or prompt > remaining then return 'tokens_reserved' end
  return nil, prompt + math.min(completion, remaining - prompt)
end

local function verdict(reason, granted)
  return {
    reason, now, granted,
    project_count, project_ends_at, user_count, user_ends_at,
    counts.spent, counts.reserved, counts.user_spent, counts.user_reserved,
  }
end

-- Asked once more for what it was granted already, a request gets the same answer, whatever else is left by now.
local function admitted_before()
  local held = prompt and find_reservation(reservations, request_id)
  return held and verdict('admitted', held.reserved)
end

local shortage, granted = find_shortage()
if shortage then return admitted_before() or verdict(shortage, 0) end
if prompt then
  local reservation = { day = day, reserved = granted, checkpoint = prompt, user_id = user_id }
  if write_reservation('HSETNX', reservations, request_id, reservation, now) == 0 then return admitted_before() end
end

if project_ends_at == 0 then project_ends_at = now + REQUEST_WINDOW_MS end
project_count = project_count + 1
write_window(project_window, project_count, project_ends_at, now)
if user_requests then
  if user_ends_at == 0 then user_ends_at = now + REQUEST_WINDOW_MS end
  user_count = user_count + 1
  write_window(user_window, user_count, user_ends_at, now)
end
if prompt then
  add_to_day(day_key, day, user_id, counts, 0, granted, now)
  counts.reserved, counts.user_reserved = counts.reserved + granted, counts.user_reserved + granted
end
return verdict('admitted', granted or 0)
