-- Tokens of one project's day: hash fields 'spent', 'reserved', 's:<user>', 'r:<user>'.
-- A reservation is one string, '<day> <reserved> <checkpoint> <user>'; the end of its lease is its score in `leases`.
local function read_day(key, user_id)
  local found = redis.call('HMGET', key, 'spent', 'reserved', 's:' .. user_id, 'r:' .. user_id)
  return tonumber(found[1] or 0), tonumber(found[2] or 0), tonumber(found[3] or 0), tonumber(found[4] or 0)
end

local function add_reserved(key, field, tokens)
  if redis.call('HINCRBY', key, field, plain(tokens)) <= 0 then redis.call('HDEL', key, field) end
end

local function add_to_day(key, day, user_id, spent, reserved, now)
  if spent ~= 0 then
    redis.call('HINCRBY', key, 'spent', plain(spent))
    redis.call('HINCRBY', key, 's:' .. user_id, plain(spent))
  end
  if reserved ~= 0 then
    add_reserved(key, 'reserved', reserved)
    add_reserved(key, 'r:' .. user_id, reserved)
  end
  redis.call('PEXPIRE', key, plain(math.max((day + 1) * DAY_MS - now, 0) + KEEP_DAY_MS), 'NX')
end

local function find_reservation(reservations, request_id)
  local packed = redis.call('HGET', reservations, request_id)
  if not packed then return nil end
  local day, reserved, checkpoint, user_id = string.match(packed, '^(%d+) (%d+) (%d+) (.*)$')
  return { day = tonumber(day), reserved = tonumber(reserved), checkpoint = tonumber(checkpoint), user_id = user_id }
end

local function write_reservation(reservations, leases, request_id, held, now)
  local packed = table.concat({ plain(held.day), plain(held.reserved), plain(held.checkpoint), held.user_id }, ' ')
  redis.call('HSET', reservations, request_id, packed)
  redis.call('ZADD', leases, plain(now + LEASE_MS), request_id)
end

-- Without tokens the last checkpoint is charged.
local function settle_reservation(days, reservations, leases, request_id, tokens, now)
  local held = find_reservation(reservations, request_id)
  redis.call('HDEL', reservations, request_id)
  redis.call('ZREM', leases, request_id)
  if not held then return false end
  add_to_day(days .. plain(held.day), held.day, held.user_id, tokens or held.checkpoint, -held.reserved, now)
  return true
end
