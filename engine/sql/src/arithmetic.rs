//! Arithmetic with integers that does not wrap around.

use std::sync::Arc;

use datafusion::{
    arrow::{
        compute::kernels::numeric::{add, mul, sub},
        datatypes::DataType,
    },
    common::{
        DFSchema, Result, ScalarValue, config::ConfigOptions, plan_err,
        tree_node::Transformed,
    },
    logical_expr::{
        BinaryExpr, ColumnarValue, Expr, ExprSchemable, Operator,
        ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature, Volatility,
        expr::ScalarFunction, expr_rewriter::FunctionRewrite, lit,
        type_coercion::binary::BinaryTypeCoercer,
    },
    physical_expr_common::datum::apply,
};

/// Replaces `+`, `-` and `*` of integers by functions that fail on overflow. One of them
/// also stands for `-` before an integer.
///
/// The operators of DataFusion wrap around without an error: the product of a
/// huge count and a price was a negative number. DataFusion can check them only
/// where a plan is run in the process that made it. Functions are also sent to
/// the executors of a cluster.
#[derive(Debug)]
pub(crate) struct CheckedArithmetic;

impl FunctionRewrite for CheckedArithmetic {
    fn name(&self) -> &str {
        "checked_arithmetic"
    }

    fn rewrite(
        &self,
        expr: Expr,
        schema: &DFSchema,
        _config: &ConfigOptions,
    ) -> Result<Transformed<Expr>> {
        let (left, op, right) = match expr {
            Expr::BinaryExpr(BinaryExpr { left, op, right }) => {
                (left, op, right)
            }
            // The negative of the least integer has no room either.
            Expr::Negative(of) => match zero(&of, schema) {
                Some(zero) => (Box::new(zero), Operator::Minus, of),
                None => return Ok(Transformed::no(Expr::Negative(of))),
            },
            _ => return Ok(Transformed::no(expr)),
        };
        let types = left
            .get_type(schema)
            .and_then(|left| integers(op, &left, &right.get_type(schema)?));
        let checked =
            Checked::ALL.into_iter().find(|checked| checked.op == op);
        Ok(match (types, checked) {
            (Ok(_), Some(checked)) => {
                let function = Arc::new(checked.function());
                let call =
                    ScalarFunction::new_udf(function, vec![*left, *right]);
                Transformed::yes(Expr::ScalarFunction(call))
            }
            // Not integers, or an error that type coercion reports better.
            _ => Transformed::no(Expr::BinaryExpr(BinaryExpr {
                left,
                op,
                right,
            })),
        })
    }
}

/// Returns zero as an integer of the type of an expression, if it is one.
fn zero(of: &Expr, schema: &DFSchema) -> Option<Expr> {
    let kind = of.get_type(schema).ok().filter(DataType::is_integer)?;
    Some(lit(ScalarValue::new_zero(&kind).ok()?))
}

/// Returns the functions for checked arithmetic.
pub(crate) fn functions() -> impl Iterator<Item = ScalarUDF> {
    Checked::ALL.into_iter().map(Checked::function)
}

/// Returns the type that DataFusion gives both operands. Not an integer is an
/// error.
fn integers(
    op: Operator,
    left: &DataType,
    right: &DataType,
) -> Result<DataType> {
    let (left, right) =
        BinaryTypeCoercer::new(left, &op, right).get_input_types()?;
    match left.is_integer() && left == right {
        true => Ok(left),
        false => plan_err!("{left} {op} {right} is not integer arithmetic"),
    }
}

/// An operator and the name of its function.
#[derive(Clone, Copy)]
struct Checked {
    name: &'static str,
    op: Operator,
}

impl Checked {
    const ALL: [Checked; 3] = [
        Checked { name: "checked_add", op: Operator::Plus },
        Checked { name: "checked_subtract", op: Operator::Minus },
        Checked { name: "checked_multiply", op: Operator::Multiply },
    ];

    fn function(self) -> ScalarUDF {
        let signature = Signature::user_defined(Volatility::Immutable);
        let Checked { name, op } = self;
        ScalarUDF::new_from_impl(CheckedFunction { name, op, signature })
    }
}

#[derive(Debug, PartialEq, Eq, Hash)]
struct CheckedFunction {
    name: &'static str,
    op: Operator,
    signature: Signature,
}

impl ScalarUDFImpl for CheckedFunction {
    fn name(&self) -> &str {
        self.name
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn coerce_types(&self, types: &[DataType]) -> Result<Vec<DataType>> {
        match types {
            [left, right] => {
                let kind = integers(self.op, left, right)?;
                Ok(vec![kind.clone(), kind])
            }
            _ => plan_err!("{} takes two integers", self.name),
        }
    }

    fn return_type(&self, types: &[DataType]) -> Result<DataType> {
        match types {
            [left, right] => integers(self.op, left, right),
            _ => plan_err!("{} takes two integers", self.name),
        }
    }

    fn invoke_with_args(
        &self,
        args: ScalarFunctionArgs,
    ) -> Result<ColumnarValue> {
        let [left, right] = args.args.as_slice() else {
            return plan_err!("{} takes two integers", self.name);
        };
        match self.op {
            Operator::Plus => apply(left, right, add),
            Operator::Minus => apply(left, right, sub),
            _ => apply(left, right, mul),
        }
    }
}
