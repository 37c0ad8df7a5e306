/** The running heed's version, as package.json says it; a test keeps them equal. */
export const version = "0.1.0"
