mod codec;
mod encode;
mod stream;

pub use codec::LineCodec;
pub use stream::LineStream;
