-- Tokens of one project's day: hash fields 'spent', 'reserved', 's:<user>', 'r:<user>'.
-- A reservation is one string, '<day> <reserved> <checkpoint> <end of its lease> <holder> <user>'.
-- Makes few calls, strings and tables, because these cost more than the arithmetic.
local function fields_of(user_id)
  return 's:' .. user_id, 'r:' .. user_id
end

-- Returns spent and reserved tokens, then those of the user.
local function read_day(key, user_spent, user_reserved)
  local found = redis.call('HMGET', key, 'spent', 'reserved', user_spent, user_reserved)
  return tonumber(found[1] or 0), tonumber(found[2] or 0), tonumber(found[3] or 0), tonumber(found[4] or 0)
end

-- For a day without tokens, which may have no expiry yet.
local function expire_day(key, day, now)
  redis.call('PEXPIRE', key, plain(math.max((day + 1) * DAY_MS - now, 0) + KEEP_DAY_MS), 'NX')
end

-- Returns day, reserved, checkpoint, end of the lease, user, holder.
local function unpack_reservation(packed)
  local day, reserved, checkpoint, lease_ends_at, holder, user_id =
    string.match(packed, '^(%d+) (%d+) (%d+) (%d+) (%S+) (.*)$')
  return tonumber(day), tonumber(reserved), tonumber(checkpoint), tonumber(lease_ends_at), user_id, holder
end

-- The lease begins now.
local function pack_reservation(day, reserved, checkpoint, now, user_id, holder)
  return string.format('%d %d %d %d ', day, reserved, checkpoint, now + LEASE_MS) .. holder .. ' ' .. user_id
end

-- Charges the last checkpoint if `tokens` is nil. Passes `clock` to `read_clock`, which few settlements need.
local function settle_reservation(days, reservations, request_id, tokens, clock)
  local packed = redis.call('HGET', reservations, request_id)
  if not packed then return false end
  redis.call('HDEL', reservations, request_id)
  local day, held, checkpoint, _, user_id = unpack_reservation(packed)
  local key, user_spent, user_reserved = days .. plain(day), fields_of(user_id)
  local spent, reserved, spent_by_user, reserved_by_user = read_day(key, user_spent, user_reserved)
  tokens = tokens or checkpoint
  -- If the day's counters were lost, fewer tokens are reserved than are given back.
  local left, left_to_user = math.max(reserved - held, 0), math.max(reserved_by_user - held, 0)
  redis.call(
    'HSET', key, 'spent', plain(spent + tokens), 'reserved', plain(left),
    user_spent, plain(spent_by_user + tokens), user_reserved, plain(left_to_user)
  )
  if spent == 0 and reserved == 0 then expire_day(key, day, read_clock(clock)) end
  return true
end
