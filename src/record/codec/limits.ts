/** Bytes of YAML between the fences that a reader accepts. Checked before any parser sees the text. */
export const FRONTMATTER_LIMIT = 32 * 1024;

/** Bytes of a whole thought file. jj leaves larger new files untracked (jj-vcs/jj#3912), so a larger one could be lost. */
export const FILE_LIMIT = 1024 * 1024;

/** Levels of maps and lists. Readers recurse (PyYAML, the yaml library, this codec), and agents choose the depth. */
export const NESTING_LIMIT = 64;
