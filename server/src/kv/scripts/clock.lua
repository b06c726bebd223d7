-- Returns the time in milliseconds: the given one, from a test or an earlier call, else the server's.
local function read_clock(given)
  if given ~= '' then return tonumber(given) end
  local time = redis.call('TIME')
  return time[1] * 1000 + math.floor(time[2] / 1000)
end

-- Formats a number for Redis. Lua itself writes large numbers with an exponent, which no reader here expects, and its
-- integer format makes them negative.
local function plain(number)
  return string.format('%.0f', number)
end
