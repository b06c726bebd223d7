// Answers that the tests of answers and of failures share.

export const greeting = { text: ['Hel', 'lo ', 'there'] }
