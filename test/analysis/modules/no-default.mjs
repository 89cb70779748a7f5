export const tokens = text => [text]
