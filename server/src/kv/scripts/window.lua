-- A fixed window is one string, '<count> <end>'. The stored end decides; the expiry only cleans up.
local function unpack_window(packed, now)
  if packed then
    local count, ends_at = string.match(packed, '^(%d+) (%d+)$')
    if tonumber(ends_at) > now then return tonumber(count), tonumber(ends_at) end
  end
  return 0, 0
end

local function read_window(key, now)
  return unpack_window(redis.call('GET', key), now)
end

local function write_window(key, count, ends_at, now)
  redis.call('SET', key, plain(count) .. ' ' .. plain(ends_at), 'PX', plain(ends_at - now + CLEAN_UP_MS))
end
