export default { tokens: 'none' }
