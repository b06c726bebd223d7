-- Calls `answer` for each of `count` calls and returns the results. An error in one becomes its result, and does not
-- affect the others.
local function answer_each(count, answer)
  local answers = {}
  for at = 1, count do
    local is_answered, answered = pcall(answer, at)
    -- Depending on its version, Redis throws its errors as text or as an error table.
    if not is_answered and type(answered) ~= 'table' then answered = { err = tostring(answered) } end
    answers[at] = answered
  end
  return answers
end
