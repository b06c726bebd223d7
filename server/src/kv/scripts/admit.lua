-- Admits several requests, of any projects: for each of them all checks, then all its charges or none. What is the same
-- for all of them is read once. Twin of `admit` in process/admissions.ts.
local now, latest = read_clock(ARGV[1]), tonumber(ARGV[2])
local day = math.floor(now / DAY_MS)
local today = plain(day)
local is_seeded = redis.call('GET', KEYS[1])

-- KEYS: two for all, then six of each request. ARGV: two for all, then thirteen of each.
local count = (#KEYS - 2) / 6

local function read_switches()
  local fields = { 'revision', 'global' }
  for at = 1, count do
    fields[2 * at + 1], fields[2 * at + 2] = ARGV[13 * at - 9], ARGV[13 * at - 8]
  end
  return redis.call('HMGET', KEYS[2], unpack(fields))
end

local switches = read_switches()

local function find_rejection(at, config, known_revision, restrictions, known_restrictions)
  local standing = redis.call('HMGET', config, 'revision', 'status')
  if not (is_seeded and switches[1] and standing[1]) then return 'unseeded' end
  if tonumber(standing[1]) > known_revision then return 'stale_config' end
  -- A project that never restricted anybody has none.
  if tonumber(redis.call('HGET', restrictions, 'revision') or 0) > known_restrictions then return 'stale_restrictions' end
  if switches[2] or switches[2 * at + 1] or switches[2 * at + 2] then return 'killed' end
  if standing[2] == 'suspended' then return 'suspended' end
  return nil
end

-- Returns the tokens that are not spent, and of these the ones that no open reservation holds.
local function find_remainder(project_tokens, spent, reserved, user_tokens, spent_by_user, reserved_by_user)
  local left = project_tokens - spent
  local remaining = left - reserved
  if not user_tokens then return left, remaining end
  local left_to_user = user_tokens - spent_by_user
  return math.min(left, left_to_user), math.min(remaining, left_to_user - reserved_by_user)
end

-- Returns the limit that is used up, or nil and the number of tokens that are granted.
local function find_shortage(
  in_project, most_in_project, by_user, most_by_user, prompt, completion, left, remaining
)
  if in_project >= most_in_project then return 'project_requests', 0 end
  if most_by_user and by_user >= most_by_user then return 'user_requests', 0 end
  if not prompt then return nil, 0 end
  if left <= 0 or prompt > left then return 'tokens_spent', 0 end
  if remaining <= 0 or prompt > remaining then return 'tokens_reserved', 0 end
  return nil, prompt + math.min(completion, remaining - prompt)
end

-- Returns the tokens of the reservation that this request already holds, or nil. A corrupt reservation is an error,
-- because it was charged already.
local function find_granted(reservations, request_id)
  local packed = redis.call('HGET', reservations, request_id)
  if not packed then return nil end
  local _, granted = unpack_reservation(packed)
  return granted or error('a reservation that cannot be read')
end

local function admit(at)
  -- The caller no longer waits for the reply, so nothing must be charged.
  if latest and now > latest then return { 'late', now } end
  local config, project_window, user_window, days, reservations, restrictions = unpack(KEYS, 6 * at - 3, 6 * at + 2)
  local request_id, _, _, user_id, config_revision, project_requests, user_requests, prompt, completion, project_tokens,
    user_tokens, restrictions_revision, holder = unpack(ARGV, 13 * at - 10, 13 * at + 2)

  local rejection = find_rejection(at, config, tonumber(config_revision), restrictions, tonumber(restrictions_revision))
  if rejection then return { rejection, now } end

  -- Without a limit for each user the user's window is not read. Without a prompt the day is read but not charged.
  user_requests, prompt = tonumber(user_requests), tonumber(prompt)
  local windows = user_requests and redis.call('MGET', project_window, user_window) or redis.call('MGET', project_window)
  local in_project, project_ends_at = unpack_window(windows[1], now)
  local by_user, user_ends_at = unpack_window(windows[2], now)
  local day_key, user_spent, user_reserved = days .. today, fields_of(user_id)
  local spent, reserved, spent_by_user, reserved_by_user = read_day(day_key, user_spent, user_reserved)
  local left, remaining = find_remainder(
    tonumber(project_tokens), spent, reserved, tonumber(user_tokens), spent_by_user, reserved_by_user
  )

  local shortage, granted = find_shortage(
    in_project, tonumber(project_requests), by_user, user_requests, prompt, tonumber(completion), left, remaining
  )
  -- A request that already holds a reservation gets the same answer again, regardless of what is left now.
  local granted_before
  if prompt and shortage then
    granted_before = find_granted(reservations, request_id)
  elseif prompt then
    local reservation = pack_reservation(day, granted, prompt, now, user_id, holder)
    local is_new = redis.call('HSETNX', reservations, request_id, reservation) == 1
    if not is_new then granted_before = find_granted(reservations, request_id) end
  end

  if not (shortage or granted_before) then
    in_project, project_ends_at = count_in_window(project_window, in_project, project_ends_at, REQUEST_WINDOW_MS, now)
    if user_requests then
      by_user, user_ends_at = count_in_window(user_window, by_user, user_ends_at, REQUEST_WINDOW_MS, now)
    end
    if prompt then
      local is_first = spent == 0 and reserved == 0
      reserved, reserved_by_user = reserved + granted, reserved_by_user + granted
      redis.call('HSET', day_key, 'reserved', plain(reserved), user_reserved, plain(reserved_by_user))
      if is_first then expire_day(day_key, day, now) end
    end
  end
  return {
    granted_before and 'admitted' or shortage or 'admitted', now, granted_before or granted,
    in_project, project_ends_at, by_user, user_ends_at, spent, reserved, spent_by_user, reserved_by_user,
  }
end

return answer_each(count, admit)
