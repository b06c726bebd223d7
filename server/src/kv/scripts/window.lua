-- A fixed window is one string, '<count> <end>'. The stored end decides; the expiry only cleans up.
local function unpack_window(packed, now)
  if packed then
    local count, ends_at = string.match(packed, '^(%d+) (%d+)$')
    ends_at = tonumber(ends_at)
    if ends_at > now then return tonumber(count), ends_at end
  end
  return 0, 0
end

local function read_window(key, now)
  return unpack_window(redis.call('GET', key), now)
end

-- Pass `opened_at` only to open the window: an open one has its expiry already.
local function write_window(key, count, ends_at, opened_at)
  local packed = string.format('%d %d', count, ends_at)
  if opened_at then
    redis.call('SET', key, packed, 'PX', plain(ends_at - opened_at + CLEAN_UP_MS))
  else
    redis.call('SET', key, packed, 'KEEPTTL')
  end
end

-- Counts one more in the open window, or the first one in a new window.
local function count_in_window(key, count, ends_at, length_ms, now)
  if ends_at > 0 then
    write_window(key, count + 1, ends_at)
    return count + 1, ends_at
  end
  write_window(key, 1, now + length_ms, now)
  return 1, now + length_ms
end
