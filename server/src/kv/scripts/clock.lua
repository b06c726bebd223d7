-- The time in milliseconds: the server's own, or the one given, by a test or by who has asked already.
local function read_clock(given)
  if given ~= '' then return tonumber(given) end
  local time = redis.call('TIME')
  return time[1] * 1000 + math.floor(time[2] / 1000)
end

-- Lua writes large numbers with an exponent, which no reader here expects; as a whole number of its own it makes them negative.
local function plain(number)
  return string.format('%.0f', number)
end
