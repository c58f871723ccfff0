/** The mark in browser tabs: a cairn of three stones. */
export const MARK_SVG = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">
<g fill="#1c7380"><ellipse cx="16" cy="25" rx="12" ry="4.6"/><ellipse cx="16.6" cy="16" rx="8.4" ry="3.9"/>
<ellipse cx="15.6" cy="8.2" rx="5" ry="3.2"/></g></svg>
`;
