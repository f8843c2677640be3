//! The log against damage: every bit of a small log flipped, every byte cut and removed, every line, group and segment gone or out of
//! place, alone and many at once. What is not hit stays, what is hit is told, and nothing wrong is ever vouched for.

mod cases;
mod damage;
mod example;
mod fuzz;
mod judge;
mod memory;
mod python;
mod random;
mod sample;
